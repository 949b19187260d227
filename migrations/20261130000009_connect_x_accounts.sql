-- +goose Up
ALTER TABLE x_accounts DROP CONSTRAINT x_accounts_state_check;
ALTER TABLE x_accounts
    ADD COLUMN connected_at timestamptz,
    ADD COLUMN connected_by text NOT NULL DEFAULT '',
    ADD COLUMN renewed_at timestamptz,
    -- Spent, and tried once more when X refuses the one that came after it.
    ADD COLUMN previous_sealed bytea NOT NULL DEFAULT '',
    -- Tells which account a token was of that X no longer takes.
    ADD COLUMN access_sha256 bytea NOT NULL DEFAULT '',
    -- Why the tokens can't be renewed, and since when.
    ADD COLUMN fault text NOT NULL DEFAULT '',
    ADD COLUMN fault_since timestamptz,
    -- A renewal that X has not answered may still be at work there.
    ADD COLUMN renew_after timestamptz,
    ADD CONSTRAINT x_accounts_state_check CHECK (state IN ('connected', 'needs_reconnect', 'disconnected')),
    ADD CONSTRAINT x_accounts_forgotten CHECK (state <> 'disconnected'
        OR length(access_sealed) + length(refresh_sealed) + length(previous_sealed) + length(access_sha256) = 0),
    ADD CONSTRAINT x_accounts_fault CHECK ((fault = '') = (fault_since IS NULL));
DELETE FROM x_accounts a USING x_accounts b
WHERE lower(a.handle) = lower(b.handle) AND (a.updated_at, a.handle) < (b.updated_at, b.handle);
-- Names on X do not tell upper case from lower.
CREATE UNIQUE INDEX x_accounts_by_name ON x_accounts (lower(handle));
CREATE INDEX x_accounts_by_token ON x_accounts (access_sha256) WHERE access_sha256 <> '';

-- Each time that somebody sets out to connect an account. What X answers is
-- believed once, in the session that asked, for ten minutes.
CREATE TABLE x_connections (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    handle text NOT NULL,
    user_name text NOT NULL,
    session_id text NOT NULL,
    state_sha256 bytea NOT NULL UNIQUE,
    verifier_sealed bytea NOT NULL,
    started_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    answered_at timestamptz,
    -- What became of it, '' until that is known.
    outcome text NOT NULL DEFAULT '' CHECK (outcome IN ('', 'connected', 'denied', 'failed')),
    said text NOT NULL DEFAULT ''
);
CREATE INDEX x_connections_of_account ON x_connections (lower(handle), started_at);

-- Until when nothing is posted with an account, since X wants to be paid first.
CREATE TABLE x_holds (
    account text PRIMARY KEY CHECK (account = lower(account)),
    held_until timestamptz NOT NULL
);

-- +goose Down
DROP TABLE x_connections, x_holds;
DROP INDEX x_accounts_by_name, x_accounts_by_token;
DELETE FROM x_accounts WHERE state = 'disconnected';
ALTER TABLE x_accounts DROP CONSTRAINT x_accounts_state_check, DROP CONSTRAINT x_accounts_forgotten, DROP CONSTRAINT x_accounts_fault,
    DROP COLUMN connected_at, DROP COLUMN connected_by, DROP COLUMN renewed_at, DROP COLUMN previous_sealed, DROP COLUMN access_sha256,
    DROP COLUMN fault, DROP COLUMN fault_since, DROP COLUMN renew_after;
ALTER TABLE x_accounts ADD CONSTRAINT x_accounts_state_check CHECK (state IN ('connected', 'needs_reconnect'));
