-- What a read may still cost. It locks nothing: ReserveRead decides.
-- name: ReadAllowance :one
SELECT (o.cap_nusd - o.spent_nusd - o.reserved_nusd)::bigint AS operation_left,
    coalesce(g.share_nusd - g.spent_nusd - g.reserved_nusd, 0)::bigint AS agent_left, (g.agent IS NOT NULL)::boolean AS has_share, o.cap_nusd
FROM operations o LEFT JOIN agent_spending g ON g.operation_id = o.id AND g.agent = @agent::text
WHERE o.id = @operation_id;

-- The wall is this one statement, as with ReserveCall: a read can't be stored
-- without an agent, so when the agent's share has no room for one that is held
-- back from it the whole statement fails and nothing is held back.
-- name: ReserveRead :one
WITH of_operation AS (
    UPDATE operations o SET reserved_nusd = o.reserved_nusd + @amount::bigint
    WHERE o.id = @operation_id AND o.spent_nusd + o.reserved_nusd + @amount::bigint <= o.cap_nusd
    RETURNING o.id
), of_agent AS (
    UPDATE agent_spending g SET reserved_nusd = g.reserved_nusd + @amount::bigint FROM of_operation o
    WHERE @shared::boolean AND g.operation_id = o.id AND g.agent = @agent::text
        AND g.spent_nusd + g.reserved_nusd + @amount::bigint <= g.share_nusd
    RETURNING g.agent
)
INSERT INTO x_reads (operation_id, agent, step_key, kind, most, price_nusd, shared, reserved_nusd, lease_until, created_at)
SELECT o.id, CASE WHEN @shared::boolean THEN (SELECT agent FROM of_agent) ELSE @agent::text END AS agent, @step_key, @kind, @most, @price_nusd,
    @shared::boolean, @amount::bigint, @lease_until, @created_at
FROM of_operation o
RETURNING id;

-- name: OpenRead :one
SELECT * FROM x_reads WHERE id = @id AND operation_id = @operation_id AND state = 'reserved' FOR UPDATE;

-- name: PayForRead :one
WITH paid AS (
    INSERT INTO x_paid (operation_id, day, kind, id) SELECT @operation_id, @day::text, @kind, unnest(@ids::text[])
    ON CONFLICT DO NOTHING RETURNING 1
)
SELECT count(*)::int FROM paid;

-- name: ForgetPaid :exec
DELETE FROM x_paid WHERE operation_id = @operation_id AND day < @day;

-- name: SettleRead :exec
UPDATE x_reads SET state = @state, cost_nusd = @cost_nusd, came = @came, settled_at = @settled_at WHERE id = @id;

-- more is what it has cost more than was held back.
-- name: SettleShareOfRead :one
UPDATE agent_spending g SET spent_nusd = g.spent_nusd + @cost::bigint, reserved_nusd = g.reserved_nusd - @held::bigint,
    overrun_nusd = greatest(g.overrun_nusd, g.spent_nusd + g.reserved_nusd - g.share_nusd + @more::bigint)
WHERE g.operation_id = @operation_id AND g.agent = @agent::text
RETURNING g.spent_nusd, g.share_nusd;

-- name: ExpiredReads :many
SELECT id, operation_id FROM x_reads WHERE state = 'reserved' AND lease_until <= @wall ORDER BY id;

-- name: ReadCosts :one
SELECT coalesce(sum(cost_nusd), 0)::bigint AS cost, count(*) FILTER (WHERE state = 'unknown')::int AS unknown
FROM x_reads WHERE operation_id = @operation_id;

-- What attempts that published nothing have cost.
-- name: Wasted :one
SELECT coalesce(sum(cost_nusd - CASE WHEN state = 'done' THEN least(price_nusd, cost_nusd) ELSE 0 END), 0)::bigint FROM effects WHERE operation_id = @operation_id;
