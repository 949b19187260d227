-- What a call may still spend, and whether it may at all. It locks nothing:
-- ReserveCall decides.
-- name: Allowance :one
SELECT o.state, (o.cap_nusd - o.spent_nusd - o.reserved_nusd)::bigint AS operation_left,
    (r.budget_nusd - r.spent_nusd - r.reserved_nusd)::bigint AS run_left,
    coalesce(g.share_nusd - g.spent_nusd - g.reserved_nusd, 0)::bigint AS agent_left, coalesce(g.agent, '')::text AS agent,
    (EXISTS (SELECT FROM operation_steps s WHERE s.id = @step_id AND s.fence = @fence AND s.state = 'running')
        AND r.state = 'running' AND r.fence = @fence)::boolean AS claimed
FROM agent_runs r
JOIN operations o ON o.id = r.operation_id
LEFT JOIN agent_spending g ON g.operation_id = o.id AND g.agent = coalesce(nullif(@agent::text, ''), r.agent)
WHERE r.id = @run_id AND o.id = @operation_id;

-- The wall is this one statement. It raises what the operation holds back if
-- that fits its cap at this very moment; then the run's and the agent's, if
-- theirs fit too. A call without a run or an agent can't be stored, so when one
-- of them did not fit the whole statement fails and nothing is held back.
-- name: ReserveCall :one
WITH of_operation AS (
    UPDATE operations o SET reserved_nusd = o.reserved_nusd + @amount::bigint
    WHERE o.id = @operation_id AND o.state = 'running' AND o.spent_nusd + o.reserved_nusd + @amount::bigint <= o.cap_nusd
        AND EXISTS (SELECT FROM operation_steps s WHERE s.id = @step_id AND s.fence = @fence AND s.state = 'running')
    RETURNING o.id
), of_run AS (
    UPDATE agent_runs r SET reserved_nusd = r.reserved_nusd + @amount::bigint FROM of_operation o
    WHERE r.id = @run_id AND r.operation_id = o.id AND r.state = 'running' AND r.fence = @fence
        AND r.spent_nusd + r.reserved_nusd + @amount::bigint <= r.budget_nusd
    RETURNING r.id
), of_agent AS (
    UPDATE agent_spending g SET reserved_nusd = g.reserved_nusd + @amount::bigint FROM of_operation o
    WHERE g.operation_id = o.id AND g.agent = @agent
        AND g.spent_nusd + g.reserved_nusd + @amount::bigint <= g.share_nusd
    RETURNING g.agent
)
INSERT INTO llm_calls (operation_id, run_id, agent, turn, kind, model, request_sha256, state, reserved_nusd,
    output_limit, price, images, size, created_at)
SELECT o.id, (SELECT id FROM of_run), (SELECT agent FROM of_agent), @turn, @kind, @model, @request_sha256, 'reserved', @amount::bigint,
    @output_limit, @price, @images, @size, @created_at
FROM of_operation o
RETURNING id;

-- What a call has cost takes the place of what was held back for it: with the
-- run and the agent here, with the operation where its row is locked.
-- name: SettleCall :one
WITH settled AS (
    UPDATE llm_calls c SET state = @state, cost_nusd = coalesce(sqlc.narg(cost)::bigint, c.reserved_nusd), cost_source = @cost_source,
        usage = @usage, latency_ms = @latency_ms, error = @error, answer = sqlc.narg(answer),
        answer_sha256 = sqlc.narg(answer_sha256), lost = @lost, settled_at = @settled_at
    WHERE c.id = @id AND c.operation_id = @operation_id AND c.state = 'reserved'
    RETURNING c.id, c.run_id, c.agent, c.model, c.reserved_nusd AS held, c.cost_nusd AS cost
), of_run AS (
    UPDATE agent_runs r SET spent_nusd = r.spent_nusd + s.cost, reserved_nusd = r.reserved_nusd - s.held,
        overrun_nusd = greatest(r.overrun_nusd, r.spent_nusd + s.cost + r.reserved_nusd - s.held - r.budget_nusd)
    FROM settled s WHERE r.id = s.run_id
), of_agent AS (
    UPDATE agent_spending g SET spent_nusd = g.spent_nusd + s.cost, reserved_nusd = g.reserved_nusd - s.held,
        overrun_nusd = greatest(g.overrun_nusd, g.spent_nusd + s.cost + g.reserved_nusd - s.held - g.share_nusd)
    FROM settled s WHERE g.operation_id = @operation_id AND g.agent = s.agent
    RETURNING g.agent, g.spent_nusd, g.share_nusd
), draft AS (
    DELETE FROM llm_drafts d USING settled s WHERE d.call_id = s.id
)
SELECT s.model, s.held::bigint AS held, s.cost::bigint AS cost, r.agent AS run_agent, coalesce(g.agent, '')::text AS agent,
    coalesce(g.spent_nusd, 0)::bigint AS spent_nusd, coalesce(g.share_nusd, 0)::bigint AS share_nusd
FROM settled s JOIN agent_runs r ON r.id = s.run_id LEFT JOIN of_agent g ON true;

-- name: OpenCalls :many
SELECT id FROM llm_calls WHERE run_id = @run_id AND state = 'reserved' ORDER BY id;

-- name: OpenCallsOfOperation :many
SELECT c.id FROM llm_calls c WHERE c.operation_id = @operation_id AND c.state = 'reserved' ORDER BY c.id;

-- name: FailuresOfRun :one
SELECT count(*)::int FROM llm_calls
WHERE run_id = @run_id AND kind = 'model' AND state IN ('failed', 'unknown') AND NOT lost;

-- name: NewestModelCall :one
SELECT * FROM llm_calls WHERE run_id = @run_id AND kind = 'model' ORDER BY id DESC LIMIT 1;

-- name: CallsOfRun :many
SELECT c.id, c.turn, c.kind, c.model, c.state, c.lost, c.reserved_nusd, c.cost_nusd, c.cost_source, c.usage, c.latency_ms,
    c.error, c.price, c.images, c.size, c.created_at, coalesce(d.text, '')::text AS draft
FROM llm_calls c LEFT JOIN llm_drafts d ON d.call_id = c.id
WHERE c.run_id = @run_id ORDER BY c.id;

-- name: StoredCalls :many
SELECT * FROM llm_calls WHERE run_id = @run_id ORDER BY id;

-- name: PricedCalls :many
SELECT kind, model, cost_nusd, cost_source, usage, images, size, created_at FROM llm_calls
WHERE operation_id = @operation_id AND cost_source IN ('table', 'price_list');

-- The call is locked so that a draft can't come after the answer.
-- name: SaveDraft :one
WITH open AS (
    SELECT id FROM llm_calls WHERE id = @call_id AND run_id = @run_id AND state = 'reserved' FOR SHARE
), saved AS (
    INSERT INTO llm_drafts (call_id, text, at) SELECT id, @text, @at FROM open
    ON CONFLICT (call_id) DO UPDATE SET text = excluded.text, at = excluded.at
    RETURNING call_id
)
SELECT count(pg_notify('vivra', 'run:' || @run_id::text)) FROM saved;

-- name: AgentOfCall :one
SELECT coalesce(nullif(@agent::text, ''), r.agent)::text AS agent FROM agent_runs r WHERE r.id = @run_id;

-- name: LostCall :one
SELECT coalesce(nullif(c.agent, ''), r.agent)::text AS agent, coalesce(s.key, '')::text AS step_key FROM llm_calls c JOIN agent_runs r ON r.id = c.run_id
LEFT JOIN operation_steps s ON s.id = r.step_id WHERE c.id = @id;
