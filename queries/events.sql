-- name: AddEvent :exec
INSERT INTO events (operation_id, seq, at, step_key, kind, agent, cost_nusd, line, prev_hash, hash)
VALUES (@operation_id, @seq, @at, @step_key, @kind, @agent, @cost_nusd, @line, @prev_hash, @hash);

-- name: EventsBefore :many
SELECT * FROM (
    SELECT * FROM events WHERE operation_id = @operation_id AND (@before::bigint = 0 OR seq < @before::bigint)
    ORDER BY seq DESC LIMIT @most
) newest ORDER BY seq;

-- name: EventsOf :many
SELECT * FROM (
    SELECT * FROM events WHERE operation_id = @operation_id AND (@before::bigint = 0 OR seq < @before::bigint)
        AND (@agent::text = '' OR agent = @agent::text) AND (@kind::text = '' OR kind = @kind::text)
    ORDER BY seq DESC LIMIT @most
) newest ORDER BY seq;

-- name: EventsAfter :many
SELECT * FROM events WHERE operation_id = @operation_id AND seq > @after ORDER BY seq LIMIT @most;

-- name: LogTotals :one
SELECT count(*)::bigint AS entries, coalesce(sum(cost_nusd), 0)::bigint AS cost FROM events WHERE operation_id = @operation_id;

-- name: LogCosts :many
SELECT agent, coalesce(line::jsonb ->> 'model', '')::text AS model, sum(cost_nusd)::bigint AS cost FROM events
WHERE operation_id = @operation_id AND cost_nusd > 0 GROUP BY 1, 2 ORDER BY 1, 2;

-- name: Notify :exec
SELECT pg_notify('vivra', @payload::text);

-- Logs that began before midnight and have not said since where they stand.
-- name: LogsWithoutHead :many
SELECT o.id FROM operations o WHERE o.state IN ('running', 'paused')
    AND EXISTS (SELECT FROM events e WHERE e.operation_id = o.id AND e.seq = 1 AND e.at < @midnight)
    AND NOT EXISTS (SELECT FROM events e WHERE e.operation_id = o.id AND e.kind = 'head' AND e.at >= @midnight)
ORDER BY o.id;

-- name: LogLacksHead :one
SELECT NOT EXISTS (SELECT FROM events WHERE operation_id = @operation_id AND kind = 'head' AND at >= @midnight);
