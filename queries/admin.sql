-- name: AddAudit :exec
INSERT INTO admin_audit (at, user_name, action, subject, before, after) VALUES (@at, @user_name, @action, @subject, @before, @after);

-- name: Audit :many
SELECT * FROM admin_audit WHERE id < @before ORDER BY id DESC LIMIT @most;

-- name: NewestSettings :many
SELECT DISTINCT ON (key) key, value FROM settings ORDER BY key, id DESC;

-- name: AddSetting :exec
INSERT INTO settings (key, value, set_by, set_at) VALUES (@key, @value, @set_by, @set_at);

-- name: AddMetrics :exec
INSERT INTO metrics (operation_id, at, baseline, reading) VALUES (@operation_id, @at, @baseline, @reading)
ON CONFLICT (operation_id, at) DO NOTHING;

-- name: MetricsOf :many
SELECT * FROM metrics WHERE operation_id = @operation_id ORDER BY at;

-- name: SaveUpdate :execrows
INSERT INTO tg_updates (bot_id, update_id, raw, chat_id, received_at) VALUES (@bot_id, @update_id, @raw, @chat_id, @received_at)
ON CONFLICT (bot_id, update_id) DO NOTHING;

-- name: UpdatesOfChat :many
SELECT raw, received_at FROM tg_updates WHERE chat_id = @chat_id AND received_at >= @since AND received_at < @until
ORDER BY received_at, update_id LIMIT 50000;
