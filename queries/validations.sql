-- name: DraftsOfStep :one
SELECT count(*)::int FROM validations WHERE step_id = @step_id;

-- name: ValidationOfCall :one
SELECT id FROM validations WHERE run_id = @run_id AND call_id = @call_id;

-- name: VoidPendingOfStep :exec
UPDATE validations SET state = 'void' WHERE step_id = @step_id AND state = 'pending';

-- name: VoidPendingOfOperation :exec
UPDATE validations SET state = 'void' WHERE operation_id = @operation_id AND state = 'pending';

-- name: CreateValidation :one
INSERT INTO validations (operation_id, step_id, run_id, call_id, kind, payload, payload_sha256, draft_no, risk, created_at)
VALUES (@operation_id, @step_id, @run_id, @call_id, @kind, @payload, @payload_sha256, @draft_no, @risk, @created_at)
RETURNING id;

-- name: PendingOfStep :one
SELECT id, kind FROM validations WHERE step_id = @step_id AND state = 'pending';

-- name: SetValidationRisk :exec
UPDATE validations SET risk = @risk WHERE id = @id;

-- name: ValidationOperation :one
SELECT operation_id FROM validations WHERE id = @id;

-- name: Validation :one
SELECT sqlc.embed(v), s.key AS step_key, s.agent, s.state AS step_state, o.slug, t.symbol,
    coalesce(r.spent_nusd, 0)::bigint AS run_cost, coalesce(r.tainted, false)::boolean AS tainted,
    coalesce(r.sources, '{}')::text[] AS sources,
    coalesce((SELECT p.reason FROM validations p WHERE p.step_id = v.step_id AND p.draft_no < v.draft_no
        AND p.state = 'rejected' ORDER BY p.draft_no DESC LIMIT 1), '')::text AS previous_reason
FROM validations v
JOIN operation_steps s ON s.id = v.step_id
JOIN operations o ON o.id = v.operation_id
JOIN tokens t ON t.id = o.token_id
LEFT JOIN agent_runs r ON r.id = v.run_id
WHERE v.id = @id;

-- name: PendingValidations :many
SELECT sqlc.embed(v), s.key AS step_key, s.agent, s.state AS step_state, o.slug, t.symbol,
    coalesce(r.spent_nusd, 0)::bigint AS run_cost, coalesce(r.tainted, false)::boolean AS tainted,
    coalesce(r.sources, '{}')::text[] AS sources,
    coalesce((SELECT p.reason FROM validations p WHERE p.step_id = v.step_id AND p.draft_no < v.draft_no
        AND p.state = 'rejected' ORDER BY p.draft_no DESC LIMIT 1), '')::text AS previous_reason
FROM validations v
JOIN operation_steps s ON s.id = v.step_id
JOIN operations o ON o.id = v.operation_id
JOIN tokens t ON t.id = o.token_id
LEFT JOIN agent_runs r ON r.id = v.run_id
WHERE v.state = 'pending' AND s.state = 'waiting_validation'
ORDER BY v.created_at, v.id LIMIT 1000;

-- name: PreviousDraft :one
SELECT p.id FROM validations p JOIN validations v ON v.step_id = p.step_id
WHERE v.id = @id AND p.draft_no < v.draft_no AND p.state = 'rejected' ORDER BY p.draft_no DESC LIMIT 1;

-- name: DecideValidation :exec
UPDATE validations SET state = @state, decided_by = @decided_by, decided_at = @decided_at, reason = @reason,
    receipt_url = @receipt_url
WHERE id = @id AND state = 'pending';

-- name: WaitingOf :one
SELECT count(*)::int AS waiting, coalesce(min(v.created_at), 'epoch')::timestamptz AS oldest FROM validations v
JOIN operation_steps s ON s.id = v.step_id
WHERE v.operation_id = @operation_id AND v.state = 'pending' AND s.state = 'waiting_validation';

-- name: OverdueValidations :many
SELECT v.id, v.operation_id FROM validations v
JOIN operation_steps s ON s.id = v.step_id
WHERE v.state = 'pending' AND s.state = 'waiting_validation' AND v.created_at <= @before
    AND NOT EXISTS (SELECT FROM alerts a WHERE a.operation_id = v.operation_id AND a.kind = 'validation_overdue' AND a.subject = v.id::text);

-- name: NextOverdueInstant :one
SELECT coalesce(min(v.created_at), 'epoch')::timestamptz AS at FROM validations v
JOIN operation_steps s ON s.id = v.step_id
WHERE v.state = 'pending' AND s.state = 'waiting_validation' AND v.created_at > @after;

-- name: ValidationCounts :many
SELECT state, count(*)::int AS count FROM validations WHERE operation_id = @operation_id GROUP BY state ORDER BY state;

-- name: ApprovedValidations :many
SELECT sqlc.embed(v), s.key AS step_key, s.state AS step_state, s.finished_at,
    coalesce((SELECT array_agg(e.link ORDER BY e.position) FROM effects e WHERE e.validation_id = v.id AND e.link <> ''), '{}')::text[] AS links,
    coalesce((SELECT sum(e.cost_nusd) FROM effects e WHERE e.validation_id = v.id), 0)::bigint AS price,
    (NOT EXISTS (SELECT FROM effects e WHERE e.validation_id = v.id AND e.state <> 'done'))::boolean AS all_done
FROM validations v JOIN operation_steps s ON s.id = v.step_id
WHERE v.operation_id = @operation_id AND v.state = 'approved' ORDER BY v.decided_at, v.draft_no;
