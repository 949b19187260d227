-- name: XAccounts :many
SELECT * FROM x_accounts WHERE state <> 'disconnected' ORDER BY handle;

-- name: XAccount :one
SELECT * FROM x_accounts WHERE lower(handle) = lower(@handle);

-- name: XAccountForUpdate :one
SELECT * FROM x_accounts WHERE lower(handle) = lower(@handle) FOR UPDATE;

-- How a name is spelt that is known already, '' when it is not.
-- name: XSpelling :one
SELECT coalesce((SELECT a.handle FROM x_accounts a WHERE lower(a.handle) = lower(@handle)),
    (SELECT o.x_handle FROM operations o WHERE lower(o.x_handle) = lower(@handle) ORDER BY o.id DESC LIMIT 1), '')::text AS handle;

-- name: SaveXAccount :exec
INSERT INTO x_accounts (handle, user_id, access_sealed, refresh_sealed, previous_sealed, access_sha256, key_id, scopes, expires_at,
    state, connected_at, connected_by, renewed_at, fault, fault_since, renew_after, updated_at)
VALUES (@handle, @user_id, @access_sealed, @refresh_sealed, @previous_sealed, @access_sha256, @key_id, @scopes, @expires_at,
    @state, @connected_at, @connected_by, @renewed_at, @fault, @fault_since, @renew_after, @updated_at)
ON CONFLICT (lower(handle)) DO UPDATE SET user_id = excluded.user_id, access_sealed = excluded.access_sealed,
    refresh_sealed = excluded.refresh_sealed, previous_sealed = excluded.previous_sealed, access_sha256 = excluded.access_sha256,
    key_id = excluded.key_id, scopes = excluded.scopes, expires_at = excluded.expires_at, state = excluded.state,
    connected_at = excluded.connected_at, connected_by = excluded.connected_by, renewed_at = excluded.renewed_at,
    fault = excluded.fault, fault_since = excluded.fault_since, renew_after = excluded.renew_after, updated_at = excluded.updated_at;

-- A token that is refused just after it was given is refused for another reason
-- than its age.
-- name: XTokenRefused :exec
UPDATE x_accounts SET expires_at = @now, updated_at = @now
WHERE access_sha256 = @access_sha256 AND access_sha256 <> '' AND state = 'connected' AND expires_at > @now::timestamptz
    AND renewed_at < @before::timestamptz;

-- name: StartXConnection :one
INSERT INTO x_connections (handle, user_name, session_id, state_sha256, verifier_sealed, started_at, expires_at)
VALUES (@handle, @user_name, @session_id, @state_sha256, @verifier_sealed, @started_at, @expires_at)
RETURNING id;

-- name: DeleteOldXConnections :exec
DELETE FROM x_connections WHERE started_at < @before;

-- name: XConnectionByState :one
SELECT * FROM x_connections WHERE state_sha256 = @state_sha256;

-- name: XConnection :one
SELECT * FROM x_connections WHERE id = @id;

-- name: TakeXConnection :one
WITH taken AS (SELECT t.id, t.verifier_sealed FROM x_connections t
    WHERE t.state_sha256 = @state_sha256 AND t.session_id = @session_id AND t.answered_at IS NULL AND t.expires_at > @wall::timestamptz FOR UPDATE)
UPDATE x_connections c SET answered_at = @now, verifier_sealed = '', outcome = 'failed', said = @said
FROM taken WHERE c.id = taken.id
RETURNING c.id, c.handle, taken.verifier_sealed;

-- name: EndXConnection :exec
UPDATE x_connections SET outcome = @outcome, said = @said WHERE id = @id;

-- name: LastXConnections :many
SELECT DISTINCT ON (lower(handle)) * FROM x_connections ORDER BY lower(handle), started_at DESC, id;

-- name: KnownXAccounts :many
SELECT * FROM x_accounts ORDER BY lower(handle);

-- name: OperationsOnX :many
SELECT o.x_handle AS handle, o.id, o.slug, o.state, t.symbol FROM operations o JOIN tokens t ON t.id = o.token_id
WHERE o.x_handle <> '' ORDER BY o.state IN ('running', 'paused', 'scheduled') DESC, o.j0 DESC, o.id DESC LIMIT 500;

-- Whose budget pays for a read of an account that is being connected: one that
-- has room for it, if there is any.
-- name: OperationOfAccount :one
SELECT o.id, o.slug FROM operations o
WHERE lower(o.x_handle) = lower(@handle) AND o.state IN ('running', 'paused', 'scheduled')
ORDER BY o.cap_nusd - o.spent_nusd - o.reserved_nusd >= @price::bigint DESC, o.state = 'running' DESC, o.id DESC LIMIT 1;

-- name: LastPostsOnX :many
SELECT a.handle::text AS handle, e.done_at::timestamptz AS at, e.link FROM unnest(@handles::text[]) AS a(handle)
CROSS JOIN LATERAL (SELECT p.done_at, p.link FROM effects p WHERE p.account = lower(a.handle) AND p.state = 'done' ORDER BY p.done_at DESC LIMIT 1) e;

-- What is approved, not sent yet and in an operation that goes on, by account;
-- the first call to be tried tells why.
-- name: WaitingOnX :many
SELECT DISTINCT ON (o.x_handle) o.x_handle AS handle, count(*) OVER (PARTITION BY o.x_handle)::int AS waiting, e.not_before, e.error, o.state AS operation_state
FROM effects e JOIN operations o ON o.id = e.operation_id JOIN validations v ON v.id = e.validation_id
WHERE e.kind LIKE 'x.%' AND e.state = 'intent' AND v.state = 'approved' AND o.state IN ('running', 'paused') AND o.x_handle <> ''
ORDER BY o.x_handle, e.error = '', e.not_before, e.id;
