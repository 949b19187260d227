-- +goose Up
-- The publication that X refused for want of credits, which had the account held.
ALTER TABLE x_holds ADD COLUMN effect_id bigint;

-- +goose Down
ALTER TABLE x_holds DROP COLUMN effect_id;
