-- name: ClaimModelProbe :execrows
INSERT INTO model_probes (endpoint, model, asked_at) VALUES (@endpoint, @model, @now)
ON CONFLICT (endpoint, model) DO UPDATE SET asked_at = excluded.asked_at, answered = false
WHERE model_probes.asked_at < CASE WHEN model_probes.answered THEN @answered_before::timestamptz ELSE @asked_before::timestamptz END;

-- name: SaveModelProbe :exec
UPDATE model_probes SET answered = @answered, tools = @tools, usage = @usage, streams = @streams, cost_nusd = @cost_nusd, fault = @fault
WHERE endpoint = @endpoint AND model = @model;

-- name: ModelProbes :many
SELECT * FROM model_probes WHERE endpoint = @endpoint ORDER BY model;
