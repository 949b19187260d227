-- +goose Up
-- A log is shown by agent and by kind, the newest rows first.
CREATE INDEX events_by_agent ON events (operation_id, agent, seq);
CREATE INDEX events_by_kind ON events (operation_id, kind, seq);

-- +goose Down
DROP INDEX events_by_kind;
DROP INDEX events_by_agent;
