-- +goose Up
-- When an attempt was made of which nobody knew whether it went out, unless a
-- person has looked since: what was not found on a timeline may appear late.
ALTER TABLE effects ADD COLUMN doubted_at timestamptz;
UPDATE effects SET doubted_at = attempted_at WHERE state = 'unknown';

-- +goose Down
ALTER TABLE effects DROP COLUMN doubted_at;
