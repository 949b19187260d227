-- name: SettingChanges :many
SELECT * FROM settings ORDER BY id DESC LIMIT 5000;

-- name: LockSettings :exec
LOCK TABLE settings IN SHARE ROW EXCLUSIVE MODE;

-- name: NewestSetting :one
SELECT * FROM settings WHERE key = @key ORDER BY id DESC LIMIT 1;

-- name: CostsBySource :many
SELECT coalesce(line::jsonb ->> 'cost_source', '')::text AS source, sum(cost_nusd)::bigint AS cost, count(*)::int AS entries
FROM events WHERE operation_id = @operation_id AND cost_nusd > 0
GROUP BY source ORDER BY cost DESC, source;
