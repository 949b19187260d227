-- name: CreateEffect :exec
INSERT INTO effects (effect_key, validation_id, operation_id, step_id, position, kind, account, request, request_sha256, not_before, price_nusd)
VALUES (@effect_key, @validation_id, @operation_id, @step_id, @position, @kind, @account, @request, @request_sha256, @not_before, @price_nusd);

-- name: EarlierOpen :one
SELECT EXISTS (SELECT FROM effects p JOIN effects e ON e.validation_id = p.validation_id
    WHERE e.id = @id AND p.position < e.position AND p.state <> 'done');

-- name: ExpiredEffects :many
SELECT id, operation_id FROM effects WHERE state = 'attempting' AND lease_until <= @wall ORDER BY id;

-- name: EffectOperation :one
SELECT operation_id FROM effects WHERE id = @id;

-- name: Effect :one
SELECT sqlc.embed(e), s.key AS step_key, o.slug, v.kind AS validation_kind FROM effects e
JOIN operation_steps s ON s.id = e.step_id JOIN operations o ON o.id = e.operation_id
JOIN validations v ON v.id = e.validation_id WHERE e.id = @id;

-- name: EffectsOfOperation :many
SELECT sqlc.embed(e), s.key AS step_key, o.slug, v.kind AS validation_kind, v.state AS approval, v.decided_at AS approved_at FROM effects e
JOIN operation_steps s ON s.id = e.step_id JOIN operations o ON o.id = e.operation_id
JOIN validations v ON v.id = e.validation_id
WHERE e.operation_id = @operation_id ORDER BY e.id;

-- name: EffectsOfValidation :many
SELECT * FROM effects WHERE validation_id = @validation_id ORDER BY position;

-- name: LockAccount :exec
SELECT pg_advisory_xact_lock(hashtextextended(@account::text, 7305));

-- name: AttemptEffect :one
UPDATE effects SET state = 'attempting', attempt = attempt + 1, fence = fence + 1, lease_until = @lease_until,
    attempted_at = @now, reserved_nusd = @reserved_nusd, charged_nusd = 0, error = ''
WHERE id = @id AND state = 'intent'
RETURNING fence;

-- name: ClaimedEffect :one
SELECT * FROM effects WHERE id = @id AND fence = @fence AND state = ANY(@states::text[]);

-- name: EndEffect :exec
UPDATE effects SET state = @state, lease_until = NULL, woken_until = NULL, provider_id = @provider_id, link = @link, receipt = @receipt,
    cost_nusd = @cost_nusd, reserved_nusd = @reserved_nusd, charged_nusd = @charged_nusd, error = @error, done_at = sqlc.narg(done_at),
    not_before = @not_before, attempt = attempt - @given_back::int, doubted_at = sqlc.narg(doubted_at)
WHERE id = @id;

-- name: KeepMedia :exec
UPDATE effects SET media = @media, charged_nusd = @charged_nusd WHERE id = @id;

-- name: DelayEffect :exec
UPDATE effects SET not_before = @not_before, woken_until = NULL WHERE id = @id AND state = 'intent';

-- name: VoidEffectsOfOperation :exec
UPDATE effects SET state = 'void' WHERE id IN (
    SELECT e.id FROM effects e WHERE e.operation_id = @operation_id AND e.state = 'intent' ORDER BY e.id FOR UPDATE);

-- name: VoidEffectsOfStep :exec
UPDATE effects SET state = 'void' WHERE step_id = @step_id AND state IN ('intent', 'failed');

-- name: VoidEffectsOfValidation :exec
UPDATE effects SET state = 'void', error = @error WHERE validation_id = @validation_id AND state IN ('intent', 'failed');

-- What is out in part, or may be, does not expire.
-- name: ExpiredApprovals :many
SELECT v.id, v.operation_id FROM validations v JOIN operation_steps s ON s.id = v.step_id
WHERE v.state = 'approved' AND v.applied_at IS NOT NULL AND v.decided_at <= @before::timestamptz AND s.state = 'waiting_validation'
    AND EXISTS (SELECT FROM effects e WHERE e.validation_id = v.id AND e.state = 'intent')
    AND NOT EXISTS (SELECT FROM effects e WHERE e.validation_id = v.id AND e.state IN ('attempting', 'unknown', 'done'))
ORDER BY v.decided_at, v.id LIMIT @most;

-- name: OpenEffectsOfValidation :one
SELECT count(*)::int FROM effects WHERE validation_id = @validation_id AND state <> 'done';

-- name: NextEffectInstant :one
SELECT coalesce(min(e.not_before), 'epoch')::timestamptz AS at
FROM effects e JOIN operations o ON o.id = e.operation_id JOIN validations v ON v.id = e.validation_id
WHERE (e.state = 'unknown' OR e.state = 'intent' AND v.state = 'approved') AND o.state = 'running' AND e.not_before > @now::timestamptz;

-- One statement, so one snapshot: between two, work in hand could move from
-- what the second counts to what the first has counted.
-- name: Busy :one
SELECT (EXISTS (SELECT FROM operation_steps WHERE state = 'running')
    OR EXISTS (SELECT FROM x_reads WHERE state = 'reserved')
    OR EXISTS (SELECT FROM mention_looks l JOIN operations o ON o.id = l.operation_id JOIN x_accounts a ON lower(a.handle) = lower(o.x_handle)
        WHERE l.lease_until IS NOT NULL OR l.next_at <= @now AND o.state = 'running' AND a.state = 'connected')
    OR EXISTS (SELECT FROM validations v JOIN operations o ON o.id = v.operation_id
        WHERE v.state IN ('approved', 'rejected') AND v.applied_at IS NULL AND v.applies_at <= @now::timestamptz
            AND NOT (o.state = 'paused' AND v.kind = 'handover' AND v.state = 'approved'))
    OR EXISTS (SELECT FROM effects e JOIN operations o ON o.id = e.operation_id JOIN validations v ON v.id = e.validation_id
        WHERE e.state = 'attempting'
            OR e.state = 'unknown' AND e.not_before <= @now
            OR e.state = 'intent' AND e.not_before <= @now AND o.state = 'running' AND v.state = 'approved'
                AND NOT EXISTS (SELECT FROM effects p WHERE p.validation_id = e.validation_id AND p.position < e.position AND p.state <> 'done')))::boolean AS busy;

-- Posts of a step's earlier drafts that were never found.
-- name: DoubtedPosts :many
SELECT DISTINCT ON (e.position) e.position, e.doubted_at::timestamptz AS at FROM effects e
WHERE e.step_id = @step_id AND e.kind = 'x.post' AND e.doubted_at IS NOT NULL AND e.state IN ('failed', 'void')
    AND NOT EXISTS (SELECT FROM effects d WHERE d.step_id = e.step_id AND d.position = e.position AND d.state = 'done')
ORDER BY e.position, e.doubted_at;

-- When the same call was first in doubt, under this approval or an earlier one.
-- name: DoubtedBefore :one
SELECT coalesce(min(b.doubted_at), 'epoch')::timestamptz AS at FROM effects b JOIN effects e ON e.step_id = b.step_id
    AND e.position = b.position AND e.request_sha256 = b.request_sha256
WHERE e.id = @id AND b.doubted_at IS NOT NULL AND (b.id = e.id OR b.state IN ('failed', 'void'));

-- A person has looked for a call: it has not gone out under an earlier approval either.
-- name: LookedFor :exec
UPDATE effects b SET doubted_at = NULL FROM effects e
WHERE e.id = @id AND b.step_id = e.step_id AND b.position = e.position AND b.id <> e.id AND b.request_sha256 = e.request_sha256 AND b.doubted_at IS NOT NULL;

-- name: PublicationCounts :many
SELECT kind, count(*)::int AS count FROM effects WHERE operation_id = @operation_id AND state = 'done' GROUP BY kind ORDER BY kind;

-- name: SavePoll :exec
INSERT INTO polls (operation_id, step_id, question, options) VALUES (@operation_id, @step_id, @question, @options)
ON CONFLICT (operation_id) DO NOTHING;

-- name: SetPollX :exec
UPDATE polls SET x_post_id = @x_post_id, closes_at = greatest(closes_at, @closes_at) WHERE operation_id = @operation_id;

-- name: SetPollTelegram :exec
UPDATE polls SET telegram_chat = @telegram_chat, telegram_message_id = @telegram_message_id,
    telegram_poll_id = @telegram_poll_id, closes_at = greatest(closes_at, @closes_at) WHERE operation_id = @operation_id;

-- name: SetPollTelegramResult :exec
UPDATE polls SET telegram_result = @telegram_result WHERE operation_id = @operation_id;

-- name: Poll :one
SELECT * FROM polls WHERE operation_id = @operation_id;

-- name: SaveSite :exec
INSERT INTO sites (operation_id, host, build_id, deployment_id, url, deployed_at)
VALUES (@operation_id, @host, @build_id, @deployment_id, @url, @deployed_at)
ON CONFLICT (operation_id) DO UPDATE SET build_id = excluded.build_id, deployment_id = excluded.deployment_id,
    url = excluded.url, deployed_at = excluded.deployed_at;

-- name: Site :one
SELECT * FROM sites WHERE operation_id = @operation_id;

-- name: SaveUtility :exec
INSERT INTO utilities (operation_id, build_id, deployment_id, url, deployed_at)
VALUES (@operation_id, @build_id, @deployment_id, @url, @deployed_at)
ON CONFLICT (operation_id) DO UPDATE SET build_id = excluded.build_id, deployment_id = excluded.deployment_id,
    url = excluded.url, deployed_at = excluded.deployed_at;

-- name: Utility :one
SELECT * FROM utilities WHERE operation_id = @operation_id;

-- name: SetPollResultByPollID :exec
UPDATE polls SET telegram_result = @telegram_result WHERE telegram_poll_id = @telegram_poll_id;
