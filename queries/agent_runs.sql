-- name: RunningRunOfStep :one
SELECT * FROM agent_runs WHERE step_id = @step_id AND state = 'running';

-- name: CreateRun :one
INSERT INTO agent_runs (operation_id, step_id, agent, task, model, prompt_sha256, system, state, budget_nusd, fence, started_at, tainted, sources)
VALUES (@operation_id, @step_id, @agent, @task, @model, @prompt_sha256, @system, 'running', @budget_nusd, @fence, @started_at, @tainted, @sources)
RETURNING *;

-- name: Run :one
SELECT sqlc.embed(r), coalesce(s.key, '')::text AS step_key, o.slug FROM agent_runs r
JOIN operations o ON o.id = r.operation_id LEFT JOIN operation_steps s ON s.id = r.step_id
WHERE r.id = @id;

-- name: RunsOfStep :many
SELECT sqlc.embed(r), coalesce(s.key, '')::text AS step_key, o.slug FROM agent_runs r
JOIN operations o ON o.id = r.operation_id JOIN operation_steps s ON s.id = r.step_id
WHERE r.step_id = @step_id ORDER BY r.started_at, r.id;

-- name: HoldRunOfStep :exec
UPDATE agent_runs SET fence = @fence WHERE step_id = @step_id AND state = 'running';

-- name: RunIDs :many
SELECT id FROM agent_runs WHERE @operation_id::bigint = 0 OR operation_id = @operation_id ORDER BY started_at, id;

-- name: SetRunTurn :exec
UPDATE agent_runs SET turns = greatest(turns, @turn::int) WHERE id = @id;

-- A run that nobody has gone on with since may still take the answer to its
-- open turn.
-- name: AwaitsTurn :one
SELECT (state = 'running' AND turns + 1 = @turn)::boolean AS awaited FROM agent_runs WHERE id = @id;

-- name: TaintRun :exec
UPDATE agent_runs SET tainted = true,
    sources = CASE WHEN @source::text = ANY(sources) THEN sources ELSE sources || @source::text END
WHERE id = @id;

-- name: EndRun :exec
UPDATE agent_runs SET state = @state, error = @error, output = @output, finished_at = @finished_at,
    seal = run_seal(id, @state, @error, @output)
WHERE id = @id AND state = 'running';

-- name: EndRunsOfOperation :exec
UPDATE agent_runs SET state = 'failed', error = @error, finished_at = @finished_at, seal = run_seal(id, 'failed', @error, NULL)
WHERE operation_id = @operation_id AND state = 'running';
