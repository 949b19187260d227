-- name: UserByName :one
SELECT * FROM users WHERE lower(name) = lower(@name);

-- name: LockNames :exec
SELECT pg_advisory_xact_lock(7309);

-- name: UserNames :many
SELECT name FROM users;

-- name: UserByID :one
SELECT * FROM users WHERE id = @id;

-- name: UserToChange :one
SELECT * FROM users WHERE id = @id FOR NO KEY UPDATE;

-- name: AdminsToChange :many
SELECT id FROM users WHERE role = 'admin' AND disabled_at IS NULL AND password_hash <> '' ORDER BY id FOR NO KEY UPDATE;

-- name: HasAdmin :one
SELECT EXISTS (SELECT FROM users WHERE role = 'admin' AND disabled_at IS NULL AND password_hash <> '');

-- name: CreateUser :one
INSERT INTO users (name, role, password_hash, created_at) VALUES (@name, @role, @password_hash, @created_at) RETURNING *;

-- name: SetRole :exec
UPDATE users SET role = @role WHERE id = @id;

-- name: SetDisabled :exec
UPDATE users SET disabled_at = @disabled_at WHERE id = @id;

-- name: SetPassword :execrows
UPDATE users SET password_hash = @password_hash WHERE id = @id AND password_hash = @before;

-- name: Members :many
SELECT sqlc.embed(u),
    (SELECT count(*)::int FROM passkeys p WHERE p.user_id = u.id) AS passkeys,
    (SELECT count(*)::int FROM sessions s WHERE s.user_id = u.id AND s.expiry > @now AND s.seen_at > @idle_since) AS sessions,
    coalesce(greatest(u.seen_at, (SELECT max(s.seen_at) FROM sessions s WHERE s.user_id = u.id)), 'epoch')::timestamptz AS seen_at
FROM users u ORDER BY u.disabled_at IS NOT NULL, u.name;

-- name: CreateInvite :one
INSERT INTO invites (token_sha256, role, created_by, for_user, created_at, expires_at)
VALUES (@token_sha256, @role, @created_by, @for_user, @created_at, @expires_at) RETURNING id;

-- name: OpenInvites :many
SELECT sqlc.embed(i), coalesce(u.name, '')::text AS user_name FROM invites i LEFT JOIN users u ON u.id = i.for_user
WHERE i.used_by IS NULL AND i.revoked_at IS NULL AND i.expires_at > @now AND u.disabled_at IS NULL
ORDER BY i.expires_at, i.id;

-- name: InviteByToken :one
SELECT sqlc.embed(i), coalesce(u.name, '')::text AS user_name FROM invites i LEFT JOIN users u ON u.id = i.for_user
WHERE i.token_sha256 = @token_sha256 AND i.used_by IS NULL AND i.revoked_at IS NULL AND i.expires_at > @now AND u.disabled_at IS NULL;

-- name: InviteToUse :one
SELECT * FROM invites WHERE token_sha256 = @token_sha256 AND used_by IS NULL AND revoked_at IS NULL AND expires_at > @now FOR UPDATE;

-- name: UseInvite :exec
UPDATE invites SET used_by = @used_by WHERE token_sha256 = @token_sha256;

-- name: RevokeInvite :one
UPDATE invites i SET revoked_at = @now WHERE i.id = @id AND i.used_by IS NULL AND i.revoked_at IS NULL
RETURNING i.role, i.created_by;

-- name: RevokeLinksFor :exec
UPDATE invites SET revoked_at = @now WHERE used_by IS NULL AND revoked_at IS NULL AND for_user = @user_id;

-- name: RevokeLinksBy :exec
UPDATE invites SET revoked_at = @now WHERE used_by IS NULL AND revoked_at IS NULL AND created_by = @created_by;

-- name: SessionData :one
SELECT data FROM sessions WHERE token = @token AND expiry > @now;

-- name: SaveSession :exec
INSERT INTO sessions (token, data, expiry) VALUES (@token, @data, @expiry)
ON CONFLICT (token) DO UPDATE SET data = excluded.data, expiry = excluded.expiry;

-- name: DeleteSession :exec
DELETE FROM sessions WHERE token = @token;

-- name: DeleteExpiredSessions :exec
DELETE FROM sessions WHERE expiry <= @now OR seen_at <= @idle_since;

-- name: SignIn :execrows
WITH account AS (
    UPDATE users u SET seen_at = @now::timestamptz
    WHERE u.id = @user_id AND u.disabled_at IS NULL AND u.password_hash = @password_hash RETURNING u.id
)
UPDATE sessions s SET user_id = account.id, browser = @browser, started_at = @now::timestamptz, seen_at = @now::timestamptz
FROM account WHERE s.token = @token;

-- name: SignedIn :one
SELECT sqlc.embed(u), s.id, s.browser, s.started_at, s.seen_at, s.expiry FROM sessions s JOIN users u ON u.id = s.user_id
WHERE s.token = @token AND s.expiry > @now AND s.seen_at > @idle_since AND u.disabled_at IS NULL;

-- name: TouchSession :exec
UPDATE sessions SET seen_at = @now WHERE token = @token;

-- name: KeepChallenge :execrows
UPDATE sessions SET challenge = @challenge WHERE token = @token;

-- name: TakeChallenge :one
WITH kept AS (SELECT k.token, k.challenge FROM sessions k WHERE k.token = @token AND k.challenge <> '' FOR UPDATE)
UPDATE sessions s SET challenge = '' FROM kept WHERE s.token = kept.token RETURNING kept.challenge;

-- name: SessionsOf :many
SELECT id, browser, started_at, seen_at, expiry FROM sessions
WHERE user_id = @user_id AND expiry > @now AND seen_at > @idle_since ORDER BY seen_at DESC, id;

-- name: EndSession :one
DELETE FROM sessions WHERE id = @id AND user_id = @user_id RETURNING browser;

-- name: EndSessions :execrows
DELETE FROM sessions WHERE user_id = @user_id AND id::text <> @keep::text;

-- name: AnnounceSessions :exec
SELECT pg_notify('vivra', '0');

-- name: PasskeysOf :many
SELECT * FROM passkeys WHERE user_id = @user_id ORDER BY created_at, id;

-- name: PasskeyByCredential :one
SELECT sqlc.embed(p), sqlc.embed(u) FROM passkeys p JOIN users u ON u.id = p.user_id WHERE p.credential_id = @credential_id;

-- name: AddPasskey :one
INSERT INTO passkeys (credential_id, user_id, name, credential, created_at)
SELECT @credential_id, u.id, @name, @credential, @created_at FROM users u WHERE u.id = @user_id AND u.disabled_at IS NULL RETURNING id;

-- name: UsePasskey :execrows
UPDATE passkeys SET credential = @credential, used_at = @now WHERE id = @id AND credential = @before;

-- name: RemovePasskeysOf :execrows
DELETE FROM passkeys WHERE user_id = @user_id;

-- name: RemovePasskey :one
DELETE FROM passkeys WHERE id = @id AND user_id = @user_id RETURNING name;
