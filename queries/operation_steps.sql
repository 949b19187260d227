-- name: CreateSteps :exec
INSERT INTO operation_steps (operation_id, key, task, agent, due_at, depends_on, after, validates, recurring)
SELECT @operation_id, s.key, s.task, s.agent, s.due_at, string_to_array(s.depends_on, ' '),
    string_to_array(s.after, ' '), s.validates, s.recurring
FROM (SELECT unnest(@keys::text[]) AS key, unnest(@tasks::text[]) AS task, unnest(@agents::text[]) AS agent,
    unnest(@due_ats::timestamptz[]) AS due_at, unnest(@depends_on::text[]) AS depends_on,
    unnest(@afters::text[]) AS after, unnest(@validates::boolean[]) AS validates,
    unnest(@recurrings::boolean[]) AS recurring) s;

-- The calendar's steps.
-- name: Steps :many
SELECT * FROM operation_steps WHERE operation_id = @operation_id AND NOT continuous ORDER BY due_at, id;

-- name: AddContinuousStep :one
INSERT INTO operation_steps (operation_id, key, task, agent, due_at, depends_on, after, validates, recurring, continuous, input)
VALUES (@operation_id, @key, @task, @agent, @due_at, '{}', '{}', @validates, false, true, @input)
ON CONFLICT (operation_id, key) DO NOTHING
RETURNING id;

-- name: PendingContinuousSteps :many
SELECT * FROM operation_steps WHERE operation_id = @operation_id AND continuous AND state = 'pending' ORDER BY due_at, id;

-- What is open comes before what has ended, the newest first.
-- name: ContinuousSteps :many
SELECT * FROM operation_steps WHERE operation_id = @operation_id AND continuous
ORDER BY state IN ('done', 'skipped', 'cancelled'), due_at DESC, id DESC LIMIT @most;

-- The same as pages show them.
-- name: StepsBeside :many
SELECT sqlc.embed(s), (SELECT count(*) FROM mentions m WHERE m.reading_step = s.id)::int AS mentions,
    coalesce((SELECT a.username FROM mentions m JOIN mention_authors a ON a.author_id = m.author_id WHERE m.reply_step = s.id), '')::text AS answers,
    coalesce((SELECT sum(e.cost_nusd) FROM events e WHERE e.operation_id = s.operation_id AND e.step_key = s.key AND e.cost_nusd > 0), 0)::bigint AS cost
FROM operation_steps s WHERE s.operation_id = @operation_id AND s.continuous
ORDER BY s.state IN ('done', 'skipped', 'cancelled'), s.due_at DESC, s.id DESC LIMIT @most;

-- name: SumBeside :one
SELECT count(*)::int AS count, count(*) FILTER (WHERE s.state IN ('done', 'skipped', 'cancelled'))::int AS ended, coalesce(sum(e.cost), 0)::bigint AS cost
FROM operation_steps s LEFT JOIN (SELECT l.step_key, sum(l.cost_nusd) AS cost FROM events l
    WHERE l.operation_id = @operation_id AND l.cost_nusd > 0 GROUP BY l.step_key) e ON e.step_key = s.key
WHERE s.operation_id = @operation_id AND s.continuous;

-- name: StepCosts :many
SELECT step_key, sum(cost_nusd)::bigint AS cost FROM events
WHERE operation_id = @operation_id AND cost_nusd > 0 GROUP BY step_key;

-- name: Step :one
SELECT * FROM operation_steps WHERE id = @id;

-- name: ClaimedStep :one
SELECT * FROM operation_steps WHERE id = @id AND fence = @fence AND state = 'running';

-- name: OperationsWithDueSteps :many
SELECT DISTINCT s.operation_id FROM operation_steps s JOIN operations o ON o.id = s.operation_id
WHERE s.state = 'pending' AND s.due_at <= @now AND (s.not_before IS NULL OR s.not_before <= @now)
    AND o.state = 'running'
ORDER BY s.operation_id;

-- name: StartStep :one
UPDATE operation_steps SET state = 'running', attempt = attempt + 1, fence = fence + 1, error = '',
    not_before = NULL, lease_until = @lease_until, started_at = @now, finished_at = NULL
WHERE id = @id AND state = 'pending'
RETURNING fence;

-- Steps of a paused operation wait, whoever held them, until it is resumed.
-- name: ExpiredSteps :many
SELECT s.id, s.operation_id FROM operation_steps s JOIN operations o ON o.id = s.operation_id
WHERE s.state = 'running' AND s.lease_until <= @wall AND o.state = 'running' ORDER BY s.lease_until;

-- name: TakeOverStep :one
UPDATE operation_steps SET fence = fence + 1, lease_until = @lease_until
WHERE id = @id AND state = 'running' AND lease_until <= @wall
RETURNING fence;

-- name: RenewStepLease :execrows
UPDATE operation_steps SET lease_until = @lease_until WHERE id = @id AND fence = @fence AND state = 'running';

-- name: SetStepInput :exec
UPDATE operation_steps SET input = input || @input WHERE id = @id;

-- name: EndStep :exec
UPDATE operation_steps SET state = @state, output = coalesce(sqlc.narg(output), output), error = @error,
    lease_until = NULL, finished_at = @finished_at
WHERE id = @id;

-- name: RetryStep :exec
UPDATE operation_steps SET state = 'pending', error = @error, not_before = @not_before, lease_until = NULL,
    rejections = @rejections, attempt = @attempt, input = input || @input, started_at = NULL, finished_at = NULL
WHERE id = @id;

-- name: HoldStepUntil :exec
UPDATE operation_steps SET not_before = @not_before
WHERE operation_id = @operation_id AND key = @key AND state = 'pending';

-- name: CancelOpenSteps :exec
UPDATE operation_steps SET state = 'cancelled', lease_until = NULL, finished_at = @now
WHERE operation_id = @operation_id AND state IN ('pending', 'running', 'waiting_validation');

-- name: NextStepInstant :one
SELECT coalesce(min(greatest(s.due_at, coalesce(s.not_before, s.due_at))), 'epoch')::timestamptz AS at
FROM operation_steps s JOIN operations o ON o.id = s.operation_id
WHERE s.state = 'pending' AND o.state IN ('running', 'scheduled')
    AND greatest(s.due_at, coalesce(s.not_before, s.due_at)) > @now::timestamptz;

-- name: HasStep :one
SELECT EXISTS (SELECT FROM operation_steps WHERE operation_id = @operation_id AND key = @key);

-- name: StepByKey :one
SELECT * FROM operation_steps WHERE operation_id = @operation_id AND key = @key;
