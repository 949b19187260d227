-- An alert is on its way to every channel from the commit on that raises it.
-- name: RaiseAlert :one
WITH raised AS (
    INSERT INTO alerts (operation_id, kind, subject, message, created_at) VALUES (@operation_id, @kind, @subject, @message, @created_at)
    ON CONFLICT (operation_id, kind, subject) DO NOTHING
    RETURNING id, operation_id
), told AS (
    INSERT INTO alert_deliveries (alert_id, channel, next_at)
    SELECT r.id, c.channel, @created_at FROM raised r, unnest(@channels::text[]) AS c(channel)
)
SELECT count(pg_notify('vivra', operation_id::text)) FROM raised;

-- name: Alerts :many
SELECT sqlc.embed(a), o.slug FROM alerts a JOIN operations o ON o.id = a.operation_id
WHERE (a.acknowledged_at IS NOT NULL) = @acknowledged::boolean
    AND (@operation::text = '' OR o.slug = @operation) AND (@kind::text = '' OR a.kind = @kind)
    AND (@before::bigint = 0 OR (a.created_at, a.id) < (SELECT b.created_at, b.id FROM alerts b WHERE b.id = @before))
ORDER BY a.created_at DESC, a.id DESC LIMIT @most;

-- name: Alert :one
SELECT * FROM alerts WHERE id = @id;

-- How many alerts of a subject and its numbers were acknowledged.
-- name: AcknowledgedAlerts :one
SELECT count(*)::int FROM alerts WHERE operation_id = @operation_id AND kind = @kind AND acknowledged_at IS NOT NULL
    AND (subject = @subject::text OR starts_with(subject, @subject || ' #'));

-- name: AlertGroups :many
SELECT o.slug, a.kind, count(*)::int AS count, max(a.id)::bigint AS newest, max(a.created_at)::timestamptz AS at
FROM alerts a JOIN operations o ON o.id = a.operation_id
WHERE a.acknowledged_at IS NULL GROUP BY o.slug, a.kind ORDER BY max(a.created_at) DESC, o.slug, a.kind;

-- name: AcknowledgeAlert :one
WITH done AS (
    UPDATE alerts SET acknowledged_at = @at, acknowledged_by = @by WHERE id = @id AND acknowledged_at IS NULL RETURNING operation_id
)
SELECT count(pg_notify('vivra', operation_id::text)) FROM done;

-- Those that came after the page was opened have not been seen: they stay.
-- name: AcknowledgeAlerts :one
WITH done AS (
    UPDATE alerts a SET acknowledged_at = @at, acknowledged_by = @by FROM operations o
    WHERE o.id = a.operation_id AND o.slug = @operation AND a.kind = @kind AND a.id <= @up_to::bigint AND a.acknowledged_at IS NULL
    RETURNING a.operation_id
)
SELECT count(pg_notify('vivra', operation_id::text)) FROM done;

-- Publications whose newest attempt was put before a person.
-- name: EffectsInDoubt :many
SELECT sqlc.embed(e), s.key AS step_key, o.slug, v.kind AS validation_kind FROM effects e
JOIN operation_steps s ON s.id = e.step_id JOIN operations o ON o.id = e.operation_id
JOIN validations v ON v.id = e.validation_id
WHERE e.state = 'unknown' AND EXISTS (SELECT FROM alerts a
    WHERE a.operation_id = e.operation_id AND a.kind = 'effect_unknown' AND a.subject = e.effect_key || '#' || e.attempt)
ORDER BY e.attempted_at, e.id LIMIT 100;

-- Whoever looks at a channel's pace does so alone.
-- name: LockChannel :exec
SELECT pg_advisory_xact_lock(hashtextextended(@channel::text, 7306));

-- name: ChannelPace :one
SELECT coalesce((SELECT max(s.sent_at) FROM alert_deliveries s WHERE s.channel = @channel), 'epoch')::timestamptz AS last_at,
    EXISTS (SELECT FROM alert_deliveries p WHERE p.channel = @channel AND p.state = 'pending' AND p.lease_until > @wall) AS busy;

-- name: ClaimDeliveries :many
WITH due AS MATERIALIZED (
    SELECT n.alert_id FROM alert_deliveries n
    WHERE n.channel = @channel AND n.state = 'pending' AND n.next_at <= @now AND (n.lease_until IS NULL OR n.lease_until <= @wall)
    ORDER BY n.next_at, n.alert_id LIMIT @most FOR UPDATE SKIP LOCKED
)
UPDATE alert_deliveries d SET lease_until = @lease_until, attempt = d.attempt + 1
FROM due JOIN alerts a ON a.id = due.alert_id JOIN operations o ON o.id = a.operation_id
WHERE d.alert_id = due.alert_id AND d.channel = @channel
RETURNING sqlc.embed(a), o.slug, d.attempt;

-- name: DeliveriesSent :exec
UPDATE alert_deliveries d SET state = 'sent', sent_at = @now, lease_until = NULL, error = ''
FROM (SELECT unnest(@ids::bigint[]) AS id, unnest(@attempts::int[]) AS attempt) c
WHERE d.alert_id = c.id AND d.attempt = c.attempt AND d.channel = @channel AND d.state = 'pending';

-- name: DeliveriesFailed :exec
UPDATE alert_deliveries d SET lease_until = NULL, next_at = @next_at, error = @error,
    state = CASE WHEN a.created_at <= @give_up_before THEN 'given_up' ELSE 'pending' END
FROM (SELECT unnest(@ids::bigint[]) AS id, unnest(@attempts::int[]) AS attempt) c JOIN alerts a ON a.id = c.id
WHERE d.alert_id = c.id AND d.attempt = c.attempt AND d.channel = @channel AND d.state = 'pending';

-- name: DeliveryFaults :many
SELECT d.channel, count(*) FILTER (WHERE d.state = 'given_up')::int AS given_up, count(*) FILTER (WHERE d.state = 'pending')::int AS waiting,
    min(a.created_at)::timestamptz AS since, (array_agg(d.error ORDER BY d.next_at DESC))[1]::text AS why
FROM alert_deliveries d JOIN alerts a ON a.id = d.alert_id
WHERE a.acknowledged_at IS NULL AND (d.state = 'given_up' OR d.state = 'pending' AND d.attempt >= @tries::int AND d.error <> '')
GROUP BY d.channel ORDER BY d.channel;
