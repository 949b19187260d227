-- name: SetCap :exec
UPDATE operations SET cap_nusd = @cap_nusd WHERE id = @id;

-- name: StepCalls :one
SELECT count(*) FILTER (WHERE state = 'done')::int AS sent, count(*) FILTER (WHERE state IN ('attempting', 'unknown'))::int AS open,
    count(*) FILTER (WHERE state IN ('intent', 'failed'))::int AS waiting
FROM effects WHERE step_id = @step_id;

-- What was said of the cap before makes room for what is to be said of the next.
-- name: SealBudgetAlerts :exec
UPDATE alerts SET subject = subject || ' ' || @cap::text
WHERE operation_id = @operation_id AND kind IN ('budget_warning', 'budget_exceeded') AND strpos(subject, ' ') = 0;
