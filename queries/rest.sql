-- name: LastSent :one
SELECT validation_id FROM effects WHERE step_id = @step_id ORDER BY id DESC LIMIT 1;

-- A call that is not out may have been planned under several approvals.
-- name: PartsOfStep :one
SELECT count(DISTINCT position) FILTER (WHERE state = 'done')::int AS out, (coalesce(max(position), -1) + 1)::int AS total,
    coalesce(bool_and(kind = 'x.post'), false)::boolean AS posts
FROM effects WHERE step_id = @step_id;
