-- +goose Up
-- What goes on by itself behind a post that is out.
CREATE INDEX effects_going_on ON effects (account) WHERE state = 'intent' AND NOT begins;

-- +goose Down
DROP INDEX effects_going_on;
