-- +goose Up
-- What was found of a candidate, computed by code. NULL for those whose score
-- alone was kept.
ALTER TABLE candidates ADD COLUMN report jsonb;

-- +goose Down
ALTER TABLE candidates DROP COLUMN report;
