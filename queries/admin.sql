-- name: RaiseAlert :execrows
INSERT INTO alerts (operation_id, kind, subject, message, created_at) VALUES (@operation_id, @kind, @subject, @message, @created_at)
ON CONFLICT (operation_id, kind, subject) DO NOTHING;

-- name: AnnounceAlert :one
WITH raised AS (
    INSERT INTO alerts (operation_id, kind, subject, message, created_at) VALUES (@operation_id, @kind, @subject, @message, @created_at)
    ON CONFLICT (operation_id, kind, subject) DO NOTHING
    RETURNING operation_id
)
SELECT count(pg_notify('vivra', operation_id::text)) FROM raised;

-- name: OpenAlerts :many
SELECT sqlc.embed(a), o.slug FROM alerts a JOIN operations o ON o.id = a.operation_id
WHERE a.acknowledged_at IS NULL ORDER BY a.created_at DESC, a.id DESC LIMIT 200;

-- name: AcknowledgeAlert :execrows
UPDATE alerts SET acknowledged_at = @at, acknowledged_by = @by WHERE id = @id AND acknowledged_at IS NULL;

-- name: AddAudit :exec
INSERT INTO admin_audit (at, user_name, action, subject, before, after) VALUES (@at, @user_name, @action, @subject, @before, @after);

-- name: Audit :many
SELECT * FROM admin_audit ORDER BY id DESC LIMIT @most;

-- name: UserByName :one
SELECT * FROM users WHERE name = @name;

-- name: UserByID :one
SELECT * FROM users WHERE id = @id;

-- name: CreateUser :one
INSERT INTO users (name, role, password_hash, created_at) VALUES (@name, @role, @password_hash, @created_at) RETURNING id;

-- name: CountUsers :one
SELECT count(*)::int FROM users;

-- name: CreateInvite :exec
INSERT INTO invites (token_sha256, role, created_at, expires_at) VALUES (@token_sha256, @role, @created_at, @expires_at);

-- name: OpenInvite :one
SELECT * FROM invites WHERE token_sha256 = @token_sha256 AND used_by IS NULL AND expires_at > @now FOR UPDATE;

-- name: UseInvite :exec
UPDATE invites SET used_by = @used_by WHERE token_sha256 = @token_sha256;

-- name: SessionByToken :one
SELECT data FROM sessions WHERE token = @token AND expiry > @now;

-- name: SaveSession :exec
INSERT INTO sessions (token, data, expiry) VALUES (@token, @data, @expiry)
ON CONFLICT (token) DO UPDATE SET data = excluded.data, expiry = excluded.expiry;

-- name: DeleteSession :exec
DELETE FROM sessions WHERE token = @token;

-- name: DeleteExpiredSessions :exec
DELETE FROM sessions WHERE expiry <= @now;

-- name: NewestSettings :many
SELECT DISTINCT ON (key) key, value FROM settings ORDER BY key, id DESC;

-- name: AddSetting :exec
INSERT INTO settings (key, value, set_by, set_at) VALUES (@key, @value, @set_by, @set_at);

-- name: AddMetrics :exec
INSERT INTO metrics (operation_id, at, baseline, reading) VALUES (@operation_id, @at, @baseline, @reading)
ON CONFLICT (operation_id, at) DO NOTHING;

-- name: MetricsOf :many
SELECT * FROM metrics WHERE operation_id = @operation_id ORDER BY at;

-- name: LatestMetricsOfToken :one
SELECT m.* FROM metrics m JOIN operations o ON o.id = m.operation_id JOIN tokens t ON t.id = o.token_id
WHERE t.chain_id = @chain_id AND t.address = @address ORDER BY m.at DESC LIMIT 1;

-- name: SaveUpdate :execrows
INSERT INTO tg_updates (bot_id, update_id, raw, chat_id, received_at) VALUES (@bot_id, @update_id, @raw, @chat_id, @received_at)
ON CONFLICT (bot_id, update_id) DO NOTHING;

-- name: UpdatesOfChat :many
SELECT raw, received_at FROM tg_updates WHERE chat_id = @chat_id AND received_at >= @since AND received_at < @until
ORDER BY received_at, update_id LIMIT 50000;

-- name: XAccountForUpdate :one
SELECT * FROM x_accounts WHERE handle = @handle FOR UPDATE;

-- name: XAccount :one
SELECT * FROM x_accounts WHERE handle = @handle;

-- name: SaveXAccount :exec
INSERT INTO x_accounts (handle, user_id, access_sealed, refresh_sealed, key_id, scopes, expires_at, state, updated_at)
VALUES (@handle, @user_id, @access_sealed, @refresh_sealed, @key_id, @scopes, @expires_at, 'connected', @updated_at)
ON CONFLICT (handle) DO UPDATE SET user_id = excluded.user_id, access_sealed = excluded.access_sealed,
    refresh_sealed = excluded.refresh_sealed, key_id = excluded.key_id, scopes = excluded.scopes,
    expires_at = excluded.expires_at, state = 'connected', updated_at = excluded.updated_at;

-- name: XAccountLost :exec
UPDATE x_accounts SET state = 'needs_reconnect', updated_at = @now WHERE handle = @handle;
