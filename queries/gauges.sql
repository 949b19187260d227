-- name: Gauges :many
WITH live AS (
    SELECT id, state, cap_nusd, spent_nusd, reserved_nusd FROM operations WHERE state IN ('scheduled', 'running', 'paused')
)
SELECT 'operations'::text AS family, state::text AS label, count(*) AS n, 'epoch'::timestamptz AS oldest FROM operations GROUP BY state
UNION ALL
SELECT 'steps', s.state, count(*), coalesce(min(s.due_at) FILTER (WHERE s.state = 'pending' AND s.due_at <= @now AND o.state = 'running'), 'epoch')
FROM operation_steps s JOIN live o ON o.id = s.operation_id GROUP BY s.state
UNION ALL
SELECT 'effects', e.state, count(*), coalesce(min(e.not_before) FILTER (WHERE e.state IN ('intent', 'attempting', 'unknown') AND e.not_before <= @now), 'epoch')
FROM effects e JOIN live o ON o.id = e.operation_id GROUP BY e.state
UNION ALL
SELECT 'waiting', '', count(*), coalesce(min(v.created_at), 'epoch')
FROM validations v JOIN live o ON o.id = v.operation_id WHERE v.state = 'pending'
UNION ALL
SELECT 'alerts', CASE WHEN starts_with(kind, 'agent_') THEN 'agent' ELSE kind END, count(*), 'epoch' FROM alerts GROUP BY 2
UNION ALL
SELECT 'open_alerts', CASE WHEN starts_with(kind, 'agent_') THEN 'agent' ELSE kind END, count(*), 'epoch'
FROM alerts WHERE acknowledged_at IS NULL GROUP BY 2
UNION ALL
SELECT 'money', m.what, m.nusd::bigint, 'epoch' FROM (
    SELECT coalesce(sum(cap_nusd), 0) AS cap, coalesce(sum(spent_nusd), 0) AS spent, coalesce(sum(reserved_nusd), 0) AS reserved FROM live
) sums CROSS JOIN LATERAL (VALUES ('cap', cap), ('spent', spent), ('reserved', reserved)) AS m(what, nusd);

-- name: PaidCalls :many
SELECT c.id, c.turn, c.kind, c.model, c.state, c.cost_nusd, c.cost_source, c.usage, c.latency_ms, c.error, c.lost, c.created_at, r.started_at
FROM llm_calls c JOIN agent_runs r ON r.id = c.run_id WHERE c.run_id = @run_id ORDER BY c.id;
