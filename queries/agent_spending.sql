-- A share follows its setting whenever a run begins or goes on.
-- name: SetShare :exec
INSERT INTO agent_spending (operation_id, agent, share_nusd) VALUES (@operation_id, @agent, @share_nusd)
ON CONFLICT (operation_id, agent) DO UPDATE SET share_nusd = excluded.share_nusd,
    overrun_nusd = greatest(agent_spending.spent_nusd + agent_spending.reserved_nusd - excluded.share_nusd, 0);

-- Publications count, and are not stopped: a person approved them.
-- name: SpendShare :one
UPDATE agent_spending g SET spent_nusd = g.spent_nusd + @cost::bigint,
    overrun_nusd = greatest(g.overrun_nusd, g.spent_nusd + g.reserved_nusd - g.share_nusd + @cost::bigint)
WHERE g.operation_id = @operation_id AND g.agent = @agent
RETURNING g.spent_nusd, g.share_nusd;

-- name: Shares :many
SELECT * FROM agent_spending WHERE operation_id = @operation_id ORDER BY agent;
