-- name: SaveAsset :exec
INSERT INTO assets (operation_id, sha256, step_id, run_id, call_id, label, mime, width, height, bytes, created_at)
VALUES (@operation_id, @sha256, @step_id, @run_id, @call_id, @label, @mime, @width, @height, @bytes, @created_at)
ON CONFLICT (operation_id, sha256) DO NOTHING;

-- name: Asset :one
SELECT * FROM assets WHERE operation_id = @operation_id AND sha256 = @sha256;

-- name: AssetByHash :one
SELECT * FROM assets WHERE sha256 = @sha256 LIMIT 1;

-- name: AssetsOfCall :many
SELECT * FROM assets WHERE run_id = @run_id AND call_id = @call_id ORDER BY sha256;

-- name: CreateBuild :one
INSERT INTO builds (operation_id, step_id, run_id, call_id, kind, template, fields, files, manifest_sha256, pages, bytes, created_at)
VALUES (@operation_id, @step_id, @run_id, @call_id, @kind, @template, @fields, @files, @manifest_sha256, @pages, @bytes, @created_at)
ON CONFLICT (run_id, call_id) DO UPDATE SET call_id = excluded.call_id
RETURNING id;

-- name: Build :one
SELECT * FROM builds WHERE id = @id;

-- name: SetBuildReport :exec
UPDATE builds SET report = @report, passed = @passed WHERE id = @id AND operation_id = @operation_id;
