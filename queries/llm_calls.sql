-- name: ReserveCall :one
INSERT INTO llm_calls (operation_id, run_id, turn, kind, model, request_sha256, state, reserved_nusd, created_at)
VALUES (@operation_id, @run_id, @turn, @kind, @model, @request_sha256, 'reserved', @reserved_nusd, @created_at)
RETURNING id;

-- name: SettleCall :one
UPDATE llm_calls SET state = @state, cost_nusd = @cost_nusd, cost_source = @cost_source, usage = @usage,
    latency_ms = @latency_ms, error = @error, settled_at = @settled_at
WHERE id = @id AND state = 'reserved'
RETURNING reserved_nusd, model, run_id;

-- name: OpenCalls :many
SELECT id FROM llm_calls WHERE run_id = @run_id AND state = 'reserved' ORDER BY id;

-- name: OpenCallsOfOperation :many
SELECT c.id FROM llm_calls c WHERE c.operation_id = @operation_id AND c.state = 'reserved' ORDER BY c.id;

-- name: CallsOfRun :many
SELECT * FROM llm_calls WHERE run_id = @run_id ORDER BY id;
