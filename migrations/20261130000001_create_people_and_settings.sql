-- +goose Up
CREATE TABLE users (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE CHECK (name <> '' AND length(name) <= 60),
    role text NOT NULL CHECK (role IN ('viewer', 'approver', 'admin')),
    password_hash text NOT NULL,
    created_at timestamptz NOT NULL
);

-- A link that creates one account, once. Only the hash of its token is kept.
CREATE TABLE invites (
    token_sha256 bytea PRIMARY KEY CHECK (length(token_sha256) = 32),
    role text NOT NULL CHECK (role IN ('viewer', 'approver', 'admin')),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    used_by bigint REFERENCES users
);

CREATE TABLE sessions (
    token text PRIMARY KEY,
    data bytea NOT NULL,
    expiry timestamptz NOT NULL
);
CREATE INDEX sessions_by_expiry ON sessions (expiry);

-- Every change of a setting is a row: the newest of a key holds.
CREATE TABLE settings (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key text NOT NULL,
    value jsonb NOT NULL,
    set_by text NOT NULL,
    set_at timestamptz NOT NULL
);
CREATE INDEX settings_newest ON settings (key, id DESC);

CREATE TABLE admin_audit (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL,
    user_name text NOT NULL,
    action text NOT NULL,
    subject text NOT NULL,
    before jsonb,
    after jsonb
);

-- +goose Down
DROP TABLE admin_audit, settings, sessions, invites, users;
