-- What the log says that a step's runs have paid, what is booked on them, and
-- whether no other run of the step began as late as this one.
-- name: BooksOfStep :one
SELECT (SELECT coalesce(sum(e.cost_nusd), 0) FROM events e WHERE e.operation_id = s.operation_id AND e.step_key = s.key
        AND e.kind IN ('model_call', 'tool_call'))::bigint AS logged,
    (SELECT coalesce(sum(b.spent_nusd), 0) FROM agent_runs b WHERE b.step_id = s.id)::bigint AS booked,
    (NOT EXISTS (SELECT FROM agent_runs o WHERE o.step_id = s.id AND o.id <> r.id AND o.started_at >= r.started_at))::boolean AS newest
FROM agent_runs r JOIN operation_steps s ON s.id = r.step_id WHERE r.id = @id;
