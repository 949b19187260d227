-- What an account has posted or may be posting, the newest first.
-- name: SaidByAccount :many
SELECT e.kind, e.request, e.state, coalesce(e.done_at, e.attempted_at, e.not_before)::timestamptz AS at FROM effects e
JOIN operations o ON o.id = e.operation_id
WHERE lower(o.x_handle) = lower(@account::text) AND e.kind = 'x.post' AND e.step_id <> @step_id
    AND (e.state IN ('intent', 'attempting', 'unknown') OR e.state = 'done' AND e.done_at > @since::timestamptz)
ORDER BY coalesce(e.done_at, e.attempted_at, e.not_before) DESC, e.id DESC LIMIT @most;

-- What waits for a person, or for its decision to take effect.
-- name: DraftsOfAccount :many
SELECT v.id, v.kind, v.payload, v.created_at FROM validations v JOIN operations o ON o.id = v.operation_id
WHERE lower(o.x_handle) = lower(@account::text) AND v.kind IN ('post', 'thread', 'poll') AND v.step_id <> @step_id
    AND (v.state = 'pending' OR v.state = 'approved' AND v.applied_at IS NULL)
ORDER BY v.created_at DESC LIMIT @most;
