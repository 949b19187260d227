-- +goose Up
CREATE TABLE tokens (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    chain_id bigint NOT NULL CHECK (chain_id > 0),
    address bytea NOT NULL CHECK (length(address) = 20),
    name text NOT NULL,
    symbol text NOT NULL,
    decimals integer NOT NULL CHECK (decimals BETWEEN 0 AND 255),
    created_at timestamptz NOT NULL,
    UNIQUE (chain_id, address)
);

CREATE TABLE candidates (
    token_id bigint PRIMARY KEY REFERENCES tokens,
    state text NOT NULL DEFAULT 'scanned' CHECK (state IN ('scanned', 'qualified', 'taken')),
    score integer NOT NULL CHECK (score BETWEEN 0 AND 100),
    report_version integer NOT NULL DEFAULT 1,
    updated_at timestamptz NOT NULL
);

CREATE TABLE operations (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    token_id bigint NOT NULL REFERENCES tokens,
    slug text NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
    j0 timestamptz NOT NULL,
    state text NOT NULL CHECK (state IN ('scheduled', 'running', 'paused', 'stopped', 'completed')),
    stop_reason text NOT NULL DEFAULT '',
    cap_nusd bigint NOT NULL CHECK (cap_nusd >= 0),
    spent_nusd bigint NOT NULL DEFAULT 0 CHECK (spent_nusd >= 0),
    reserved_nusd bigint NOT NULL DEFAULT 0 CHECK (reserved_nusd >= 0),
    -- What a provider charged beyond the bound that was reserved for it: never
    -- planned, never hidden, alerted when it happens.
    overrun_nusd bigint NOT NULL DEFAULT 0 CHECK (overrun_nusd >= 0),
    envelope_nusd bigint NOT NULL CHECK (envelope_nusd >= 0),
    x_handle text NOT NULL,
    telegram_chat bigint NOT NULL,
    site_host text NOT NULL,
    -- The public log's last line.
    seq bigint NOT NULL DEFAULT 0,
    head_hash bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex') CHECK (length(head_hash) = 32),
    created_at timestamptz NOT NULL,
    -- The budget is a wall.
    CONSTRAINT operations_within_cap CHECK (spent_nusd + reserved_nusd <= cap_nusd + overrun_nusd)
);
-- One takeover of a token at a time.
CREATE UNIQUE INDEX operations_one_open_per_token ON operations (token_id)
    WHERE state IN ('scheduled', 'running', 'paused');
CREATE UNIQUE INDEX operations_site_host ON operations (site_host) WHERE site_host <> '';

CREATE TABLE operation_steps (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    operation_id bigint NOT NULL REFERENCES operations,
    key text NOT NULL,
    task text NOT NULL,
    agent text NOT NULL,
    due_at timestamptz NOT NULL,
    depends_on text[] NOT NULL,
    after text[] NOT NULL,
    validates boolean NOT NULL,
    recurring boolean NOT NULL,
    state text NOT NULL DEFAULT 'pending' CHECK (state IN
        ('pending', 'running', 'waiting_validation', 'done', 'failed', 'skipped', 'cancelled')),
    attempt integer NOT NULL DEFAULT 0,
    rejections integer NOT NULL DEFAULT 0,
    not_before timestamptz,
    input jsonb NOT NULL DEFAULT '{}',
    output jsonb,
    error text NOT NULL DEFAULT '',
    started_at timestamptz,
    finished_at timestamptz,
    -- Wall-clock lease of the process that carries the step out, and the token
    -- that a late worker can't write past.
    lease_until timestamptz,
    fence bigint NOT NULL DEFAULT 0,
    UNIQUE (operation_id, key),
    CHECK ((state = 'running') = (lease_until IS NOT NULL))
);
CREATE INDEX operation_steps_due ON operation_steps (due_at) WHERE state = 'pending';
CREATE INDEX operation_steps_leases ON operation_steps (lease_until) WHERE state = 'running';

CREATE TABLE token_files (
    token_id bigint NOT NULL REFERENCES tokens,
    section text NOT NULL CHECK (section IN ('scan', 'verdict', 'identity', 'site', 'x', 'telegram', 'utility')),
    version integer NOT NULL CHECK (version > 0),
    content jsonb NOT NULL,
    author_run uuid,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (token_id, section, version)
);

CREATE TABLE metrics (
    operation_id bigint NOT NULL REFERENCES operations,
    at timestamptz NOT NULL,
    baseline boolean NOT NULL,
    reading jsonb NOT NULL,
    PRIMARY KEY (operation_id, at)
);

CREATE TABLE buyback_requests (
    operation_id bigint PRIMARY KEY REFERENCES operations,
    amount_nusd bigint NOT NULL CHECK (amount_nusd >= 0),
    requested_at timestamptz NOT NULL
);

CREATE TABLE alerts (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    operation_id bigint NOT NULL REFERENCES operations,
    kind text NOT NULL,
    subject text NOT NULL,
    message text NOT NULL,
    created_at timestamptz NOT NULL,
    acknowledged_at timestamptz,
    acknowledged_by text NOT NULL DEFAULT '',
    UNIQUE (operation_id, kind, subject)
);

-- The public log. line is the canonical JSON that was hashed; hash is
-- SHA-256(prev_hash ‖ line). The table can only grow.
CREATE TABLE events (
    operation_id bigint NOT NULL REFERENCES operations,
    seq bigint NOT NULL CHECK (seq > 0),
    at timestamptz NOT NULL,
    step_key text NOT NULL,
    kind text NOT NULL,
    agent text NOT NULL,
    cost_nusd bigint NOT NULL CHECK (cost_nusd >= 0),
    line text NOT NULL,
    prev_hash bytea NOT NULL CHECK (length(prev_hash) = 32),
    hash bytea NOT NULL CHECK (length(hash) = 32),
    PRIMARY KEY (operation_id, seq),
    CONSTRAINT events_chained CHECK (hash = sha256(prev_hash || convert_to(line, 'UTF8')))
);
CREATE INDEX events_of_step ON events (operation_id, step_key) WHERE cost_nusd > 0;

-- +goose StatementBegin
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% can only grow', TG_TABLE_NAME;
END $$;
-- +goose StatementEnd
CREATE TRIGGER events_append_only BEFORE UPDATE OR DELETE ON events
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER token_files_append_only BEFORE UPDATE OR DELETE ON token_files
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER admin_audit_append_only BEFORE UPDATE OR DELETE ON admin_audit
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- +goose Down
DROP TRIGGER admin_audit_append_only ON admin_audit;
DROP TABLE events, alerts, buyback_requests, metrics, token_files, operation_steps, operations, candidates, tokens;
DROP FUNCTION refuse_change;
