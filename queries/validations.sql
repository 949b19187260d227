-- name: DraftsOfStep :one
SELECT count(*)::int FROM validations WHERE step_id = @step_id;

-- name: ValidationOfCall :one
SELECT id FROM validations WHERE run_id = @run_id AND call_id = @call_id;

-- A draft is open while it waits, and while its decision can be taken back.
-- name: VoidOpenOfStep :exec
UPDATE validations SET state = 'void', void_reason = @reason WHERE step_id = @step_id
    AND (state = 'pending' OR state IN ('approved', 'rejected') AND applied_at IS NULL);

-- name: VoidOpenOfOperation :exec
UPDATE validations SET state = 'void', void_reason = @reason WHERE operation_id = @operation_id
    AND (state = 'pending' OR state IN ('approved', 'rejected') AND applied_at IS NULL);

-- name: VoidValidation :exec
UPDATE validations SET state = 'void', void_reason = @reason WHERE id = @id;

-- name: CreateValidation :one
INSERT INTO validations (operation_id, step_id, run_id, call_id, kind, payload, payload_sha256, frozen, frozen_sha256,
    draft_no, risk, marks, edited_by, replaces, created_at)
VALUES (@operation_id, @step_id, @run_id, @call_id, @kind, @payload, @payload_sha256, @frozen, sha256(convert_to(@frozen, 'UTF8')),
    @draft_no, @risk, @marks, @edited_by, @replaces, @created_at)
RETURNING id;

-- name: BindAccount :exec
UPDATE validations SET account_id = @account_id WHERE id = @id AND account_id = '';

-- name: PendingOfStep :one
SELECT id, kind FROM validations WHERE step_id = @step_id AND state = 'pending';

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

-- name: ValidationsByID :many
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
WHERE v.id = ANY(@ids::uuid[]) ORDER BY array_position(@ids::uuid[], v.id);

-- name: PreviousDraft :one
SELECT p.id FROM validations p JOIN validations v ON v.step_id = p.step_id
WHERE v.id = @id AND p.draft_no < v.draft_no AND p.state = 'rejected' ORDER BY p.draft_no DESC LIMIT 1;

-- name: DecideValidation :execrows
UPDATE validations SET state = @state, decided_by = @decided_by, decided_at = @decided_at, reason = @reason,
    receipts = @receipts, applies_at = @applies_at, nonce = gen_random_uuid()
WHERE id = @id AND state = 'pending';

-- name: ApproveFirst :execrows
UPDATE validations SET first_approved_by = @by, first_approved_at = @at, nonce = gen_random_uuid()
WHERE id = @id AND state = 'pending';

-- Who may not decide any more is not one of the two.
-- name: ForgetFirstApprovals :exec
UPDATE validations SET first_approved_by = '', first_approved_at = NULL, nonce = gen_random_uuid()
WHERE state = 'pending' AND first_approved_by = @by::text;

-- name: WithdrawFirstApproval :execrows
UPDATE validations SET first_approved_by = '', first_approved_at = NULL, nonce = gen_random_uuid()
WHERE id = @id AND state = 'pending' AND first_approved_by <> '';

-- name: WithdrawDecision :execrows
UPDATE validations SET state = 'pending', decided_by = '', decided_at = NULL, reason = '', receipts = '[]', applies_at = NULL,
    first_approved_by = @first_approved_by, first_approved_at = sqlc.narg(first_approved_at), nonce = gen_random_uuid()
WHERE id = @id AND state IN ('approved', 'rejected') AND applied_at IS NULL;

-- name: MarkApplied :execrows
UPDATE validations SET applied_at = @now WHERE id = @id AND state IN ('approved', 'rejected') AND applied_at IS NULL;

-- What ends an operation waits until it is resumed.
-- name: DecisionsToApply :many
SELECT v.id, v.operation_id FROM validations v JOIN operations o ON o.id = v.operation_id
WHERE v.state IN ('approved', 'rejected') AND v.applied_at IS NULL AND v.applies_at <= @now
    AND NOT (o.state = 'paused' AND v.kind = 'handover' AND v.state = 'approved')
ORDER BY v.applies_at, v.id OFFSET @after::int LIMIT @most::int;

-- name: NextDecisionInstant :one
SELECT coalesce(min(applies_at), 'epoch')::timestamptz AS at FROM validations
WHERE state IN ('approved', 'rejected') AND applied_at IS NULL AND applies_at > @after::timestamptz;

-- Those of one batch were decided in one instant, the oldest output first.
-- name: UndoableIDs :many
SELECT id FROM validations
WHERE state IN ('approved', 'rejected') AND applied_at IS NULL AND applies_at > @now::timestamptz
ORDER BY decided_at DESC, created_at DESC, id DESC LIMIT 100;

-- Looked up row by row, the oldest first: the first that waits is the answer.
-- name: NextExpiringApproval :one
SELECT coalesce((SELECT v.decided_at FROM validations v
    WHERE v.state = 'approved' AND v.decided_at > @after::timestamptz
        AND (SELECT s.state FROM operation_steps s WHERE s.id = v.step_id) = 'waiting_validation'
        AND (SELECT coalesce(bool_or(e.state = 'intent'), false) AND NOT bool_or(e.state IN ('attempting', 'unknown', 'done'))
            FROM effects e WHERE e.validation_id = v.id)
    ORDER BY v.decided_at LIMIT 1), 'epoch')::timestamptz AS at;

-- name: WaitingCount :one
SELECT count(*)::int AS waiting, coalesce(min(v.created_at), 'epoch')::timestamptz AS oldest FROM validations v
JOIN operation_steps s ON s.id = v.step_id
WHERE v.operation_id = @operation_id AND v.state = 'pending' AND s.state = 'waiting_validation';

-- name: QueueCount :one
SELECT count(*)::int FROM validations v JOIN operation_steps s ON s.id = v.step_id
WHERE v.state = 'pending' AND s.state = 'waiting_validation';

-- name: PendingIDs :many
SELECT v.id FROM validations v JOIN operation_steps s ON s.id = v.step_id
WHERE v.state = 'pending' AND s.state = 'waiting_validation' ORDER BY v.created_at, v.id LIMIT 1000;

-- Where the one it is around waits no more, the window is around its place.
-- name: QueueWindow :many
WITH page AS (SELECT @size::bigint AS size), waiting AS (
    SELECT v.id, row_number() OVER (ORDER BY v.created_at, v.id) - 1 AS place, count(*) OVER () AS total,
        count(*) FILTER (WHERE (v.created_at, v.id) < (a.created_at, a.id)) OVER () AS older
    FROM validations v JOIN operation_steps s ON s.id = v.step_id
    LEFT JOIN validations a ON a.id = sqlc.narg(around)
    WHERE v.state = 'pending' AND s.state = 'waiting_validation'
)
SELECT w.place::int AS place, w.total::int AS total, v.id, v.kind, v.marks, v.draft_no, v.first_approved_by, v.created_at,
    coalesce((v.risk->>'publish_price_nusd')::bigint, 0)::bigint AS price, s.key AS step_key, s.agent, o.slug, t.symbol,
    coalesce((SELECT a.username FROM mentions m JOIN mention_authors a ON a.author_id = m.author_id WHERE m.reply_step = s.id), '')::text AS answers
FROM page p
JOIN waiting w ON w.place >= least(w.older - p.size / 2, w.total - p.size) AND w.place < greatest(w.older - p.size / 2, 0) + p.size
JOIN validations v ON v.id = w.id
JOIN operation_steps s ON s.id = v.step_id
JOIN operations o ON o.id = v.operation_id
JOIN tokens t ON t.id = o.token_id
ORDER BY w.place;

-- name: QueueOfOperation :many
SELECT v.id, v.kind, v.marks, v.draft_no, v.first_approved_by, v.created_at,
    coalesce((v.risk->>'publish_price_nusd')::bigint, 0)::bigint AS price, s.key AS step_key, s.agent, o.slug, t.symbol,
    coalesce((SELECT a.username FROM mentions m JOIN mention_authors a ON a.author_id = m.author_id WHERE m.reply_step = s.id), '')::text AS answers
FROM validations v
JOIN operation_steps s ON s.id = v.step_id
JOIN operations o ON o.id = v.operation_id
JOIN tokens t ON t.id = o.token_id
WHERE v.operation_id = @operation_id AND v.state = 'pending' AND s.state = 'waiting_validation'
ORDER BY v.created_at, v.id;

-- name: Batches :many
SELECT v.kind, count(*)::int AS count FROM validations v
JOIN operation_steps s ON s.id = v.step_id
WHERE v.state = 'pending' AND s.state = 'waiting_validation' AND v.marks = 0
GROUP BY v.kind;

-- name: BatchIDs :many
SELECT v.id FROM validations v
JOIN operation_steps s ON s.id = v.step_id
WHERE v.state = 'pending' AND s.state = 'waiting_validation' AND v.marks = 0 AND v.kind = @kind
ORDER BY v.created_at, v.id LIMIT @most;

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
    (SELECT count(*) FROM effects e WHERE e.validation_id = v.id AND e.state = 'done')::int AS done,
    (NOT EXISTS (SELECT FROM effects e WHERE e.validation_id = v.id AND e.state <> 'done'))::boolean AS all_done
FROM validations v JOIN operation_steps s ON s.id = v.step_id
WHERE v.operation_id = @operation_id AND v.state = 'approved' AND v.applied_at IS NOT NULL ORDER BY v.decided_at, v.draft_no;
