-- An account has one turn at a time: of the publications that it waits to
-- begin, the oldest is woken, and none while another is under way. What decides
-- is looked up row by row, as few are due at a time: a plan for many would read
-- every effect there ever was, each time anyone looks.
-- name: WakeEffects :many
WITH ready AS MATERIALIZED (
    SELECT e.id, e.account, e.begins, e.not_before FROM effects e
    WHERE e.state = 'intent' AND e.not_before <= @now AND (e.woken_until IS NULL OR e.woken_until <= @wall)
        AND (SELECT o.state FROM operations o WHERE o.id = e.operation_id) = 'running'
        AND (SELECT v.state = 'approved' AND v.applied_at IS NOT NULL FROM validations v WHERE v.id = e.validation_id)
        AND (SELECT count(*) FROM effects p WHERE p.validation_id = e.validation_id AND p.position < e.position AND p.state <> 'done') = 0
), due AS MATERIALIZED (
    SELECT id, NOT begins OR row_number() OVER (PARTITION BY account, begins ORDER BY not_before, id) = 1
        AND account NOT IN (SELECT p.account FROM effects p WHERE p.state = 'attempting'
            UNION ALL SELECT w.account FROM effects w WHERE w.state = 'intent' AND w.begins AND w.not_before <= @now AND w.woken_until > @wall) AS turn
    FROM ready
    UNION ALL
    SELECT id, true FROM effects WHERE state = 'unknown' AND not_before <= @now
)
UPDATE effects SET woken_until = @until
WHERE id IN (
    SELECT e.id FROM effects e
    WHERE e.id IN (SELECT due.id FROM due WHERE due.turn)
        AND e.state IN ('intent', 'unknown') AND e.not_before <= @now AND (e.woken_until IS NULL OR e.woken_until <= @wall)
    ORDER BY e.not_before, e.id LIMIT 1000
    FOR UPDATE OF e SKIP LOCKED
)
RETURNING id, state;

-- A step has one publication, also where its rest has an approval of its own.
-- What was in doubt and is not known to be out counts as sent when it was
-- attempted. Busy: something is being sent, or in doubt since a while ago in an
-- operation that goes on. Within: another publication is out in part, goes on by
-- itself before long, and has posted after this one, whenever that was booked;
-- nothing must come between its posts. Whichever posted last goes first, so no
-- two wait for each other.
-- name: LastOnAccount :one
SELECT greatest((SELECT max(d.done_at) FROM effects d WHERE d.account = @account AND d.step_id <> @step_id
        AND d.state = 'done' AND d.done_at > @since),
        (SELECT max(u.attempted_at) FROM effects u WHERE u.account = @account AND u.step_id <> @step_id
        AND (u.state = 'unknown' OR u.doubted_at IS NOT NULL AND u.state <> 'done')), 'epoch')::timestamptz AS last_at,
    coalesce((SELECT h.held_until FROM x_holds h WHERE h.account = @account), 'epoch')::timestamptz AS held_until,
    EXISTS (SELECT FROM effects b JOIN operations o ON o.id = b.operation_id
        WHERE b.account = @account AND b.step_id <> @step_id
            AND (b.state = 'attempting' OR b.state = 'unknown' AND b.attempted_at > @doubted_since AND o.state IN ('running', 'paused'))) AS busy,
    EXISTS (SELECT FROM effects c JOIN operations o ON o.id = c.operation_id JOIN validations v ON v.id = c.validation_id
        WHERE c.account = @account AND c.step_id <> @step_id AND c.state = 'intent' AND NOT c.begins AND c.not_before <= @before_long AND o.state = 'running' AND v.state = 'approved'
            AND NOT EXISTS (SELECT FROM effects p WHERE p.validation_id = c.validation_id AND p.position < c.position AND p.state <> 'done')
            AND EXISTS (SELECT FROM effects p WHERE p.step_id = c.step_id AND p.position < c.position AND p.account = c.account AND p.state = 'done'
                AND p.attempted_at > coalesce((SELECT max(own.attempted_at) FROM effects own WHERE own.step_id = @step_id AND own.state = 'done'), 'epoch'))) AS within;

-- name: LastTurn :one
SELECT greatest((SELECT max(w.not_before) FROM effects w WHERE w.account = @account AND w.begins AND w.state = 'intent'),
    (SELECT max(d.done_at) FROM effects d WHERE d.account = @account AND d.state = 'done' AND d.done_at > @since), 'epoch')::timestamptz AS at,
    coalesce((SELECT h.held_until FROM x_holds h WHERE h.account = @account), 'epoch')::timestamptz AS held_until;

-- name: HoldAccount :exec
INSERT INTO x_holds (account, held_until, effect_id) VALUES (@account, @held_until, @effect_id::bigint)
ON CONFLICT (account) DO UPDATE SET held_until = greatest(x_holds.held_until, excluded.held_until), effect_id = excluded.effect_id;

-- name: HeldUntil :one
SELECT coalesce((SELECT held_until FROM x_holds WHERE account = @account), 'epoch')::timestamptz AS at;

-- name: ReleaseAccount :exec
DELETE FROM x_holds WHERE account = @account;

-- name: ReleaseHoldOf :exec
DELETE FROM x_holds WHERE account = @account AND effect_id = @effect_id::bigint;

-- Each publication that waits gets a turn of its own, in order, so that it is
-- looked at when it can go out and not before.
-- name: DelayAccount :exec
WITH given AS (SELECT @next::timestamptz AS next, @spacing_s::float8 AS spacing_s),
waiting AS (
    SELECT e.id, given.next + (row_number() OVER (ORDER BY e.not_before, e.id) - 1) * interval '1 second' * given.spacing_s AS at
    FROM given, effects e JOIN operations o ON o.id = e.operation_id
    WHERE e.account = @account AND e.begins AND e.state = 'intent' AND o.state = 'running'
)
UPDATE effects SET not_before = w.at, woken_until = NULL FROM waiting w
WHERE effects.id = w.id AND effects.state = 'intent' AND effects.not_before < w.at;

-- name: LastRequest :one
SELECT request FROM effects WHERE operation_id = @operation_id AND kind = @kind AND state = 'done' ORDER BY done_at DESC, id DESC LIMIT 1;

-- A number is one post's on all of X, and one message's in its group.
-- name: BookedElsewhere :one
SELECT EXISTS (SELECT FROM effects WHERE kind = ANY(@kinds::text[]) AND starts_with(request, @begins::text)
    AND provider_id = @provider_id::text AND provider_id <> '' AND id <> @id AND state = 'done');

-- What an account that is connected again held up goes on at once. Turns, which
-- keep the account's pace, stay.
-- name: WakeAccount :one
WITH woken AS (
    UPDATE effects e SET not_before = @now, woken_until = NULL FROM operations o
    WHERE o.id = e.operation_id AND lower(o.x_handle) = lower(@handle) AND e.kind LIKE 'x.%' AND e.not_before > @now
        AND (e.state = 'unknown' OR e.state = 'intent' AND starts_with(e.error, @awaits))
    RETURNING e.operation_id
)
SELECT count(pg_notify('vivra', operation_id::text)) FROM woken;
