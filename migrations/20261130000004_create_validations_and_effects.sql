-- +goose Up
CREATE TABLE validations (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    operation_id bigint NOT NULL REFERENCES operations,
    step_id bigint NOT NULL REFERENCES operation_steps,
    run_id uuid REFERENCES agent_runs,
    call_id text NOT NULL,
    kind text NOT NULL,
    payload text NOT NULL,
    payload_sha256 bytea NOT NULL,
    draft_no integer NOT NULL CHECK (draft_no > 0),
    risk jsonb NOT NULL,
    state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'approved', 'rejected', 'void')),
    decided_by text NOT NULL DEFAULT '',
    decided_at timestamptz,
    reason text NOT NULL DEFAULT '',
    receipt_url text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL,
    -- An approval binds to these bytes and no others.
    CONSTRAINT validations_hash CHECK (payload_sha256 = sha256(convert_to(payload, 'UTF8'))),
    CHECK ((state IN ('approved', 'rejected')) = (decided_at IS NOT NULL)),
    UNIQUE (step_id, draft_no)
);
CREATE UNIQUE INDEX validations_one_per_call ON validations (run_id, call_id) WHERE run_id IS NOT NULL;
CREATE UNIQUE INDEX validations_one_pending_per_step ON validations (step_id) WHERE state = 'pending';
CREATE INDEX validations_pending ON validations (created_at) WHERE state = 'pending';
CREATE INDEX validations_of_operation ON validations (operation_id);

-- +goose StatementBegin
CREATE FUNCTION refuse_payload_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.payload IS DISTINCT FROM OLD.payload OR NEW.payload_sha256 IS DISTINCT FROM OLD.payload_sha256
        OR NEW.kind IS DISTINCT FROM OLD.kind OR (OLD.state <> 'pending' AND NEW.state <> OLD.state AND NEW.state <> 'void') THEN
        RAISE EXCEPTION 'a validation is frozen: write a new draft';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER validations_frozen BEFORE UPDATE ON validations
    FOR EACH ROW EXECUTE FUNCTION refuse_payload_change();

CREATE TABLE effects (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    effect_key text NOT NULL UNIQUE,
    validation_id uuid NOT NULL REFERENCES validations,
    operation_id bigint NOT NULL REFERENCES operations,
    step_id bigint NOT NULL REFERENCES operation_steps,
    position integer NOT NULL,
    kind text NOT NULL,
    account text NOT NULL DEFAULT '',
    request text NOT NULL,
    request_sha256 bytea NOT NULL CHECK (request_sha256 = sha256(convert_to(request, 'UTF8'))),
    state text NOT NULL DEFAULT 'intent' CHECK (state IN
        ('intent', 'attempting', 'done', 'unknown', 'failed', 'void')),
    not_before timestamptz NOT NULL,
    attempt integer NOT NULL DEFAULT 0,
    -- Until when (wall clock) a job that was made for it is trusted to come.
    woken_until timestamptz,
    lease_until timestamptz,
    fence bigint NOT NULL DEFAULT 0,
    attempted_at timestamptz,
    provider_id text NOT NULL DEFAULT '',
    link text NOT NULL DEFAULT '',
    receipt jsonb,
    price_nusd bigint NOT NULL CHECK (price_nusd >= 0),
    reserved_nusd bigint NOT NULL DEFAULT 0 CHECK (reserved_nusd >= 0),
    cost_nusd bigint NOT NULL DEFAULT 0 CHECK (cost_nusd >= 0),
    error text NOT NULL DEFAULT '',
    done_at timestamptz,
    UNIQUE (validation_id, position),
    CHECK ((state = 'attempting') = (lease_until IS NOT NULL))
);
CREATE INDEX effects_open ON effects (not_before) WHERE state IN ('intent', 'attempting', 'unknown');
CREATE INDEX effects_spacing ON effects (account, done_at) WHERE state = 'done' AND account <> '';
CREATE INDEX effects_of_step ON effects (step_id);
CREATE INDEX effects_of_operation ON effects (operation_id);

CREATE TABLE polls (
    operation_id bigint PRIMARY KEY REFERENCES operations,
    step_id bigint NOT NULL REFERENCES operation_steps,
    question text NOT NULL,
    options text[] NOT NULL,
    x_post_id text NOT NULL DEFAULT '',
    telegram_chat bigint NOT NULL DEFAULT 0,
    telegram_message_id bigint NOT NULL DEFAULT 0,
    telegram_poll_id text NOT NULL DEFAULT '',
    closes_at timestamptz,
    telegram_result jsonb
);

CREATE TABLE sites (
    operation_id bigint PRIMARY KEY REFERENCES operations,
    host text NOT NULL UNIQUE,
    build_id uuid NOT NULL REFERENCES builds,
    deployment_id text NOT NULL,
    url text NOT NULL,
    deployed_at timestamptz NOT NULL
);

CREATE TABLE utilities (
    operation_id bigint PRIMARY KEY REFERENCES operations,
    build_id uuid NOT NULL REFERENCES builds,
    deployment_id text NOT NULL,
    url text NOT NULL,
    deployed_at timestamptz NOT NULL
);

CREATE TABLE x_accounts (
    handle text PRIMARY KEY,
    user_id text NOT NULL,
    access_sealed bytea NOT NULL,
    refresh_sealed bytea NOT NULL,
    key_id text NOT NULL,
    scopes text[] NOT NULL,
    expires_at timestamptz NOT NULL,
    state text NOT NULL DEFAULT 'connected' CHECK (state IN ('connected', 'needs_reconnect')),
    updated_at timestamptz NOT NULL
);

CREATE TABLE tg_updates (
    bot_id bigint NOT NULL,
    update_id bigint NOT NULL,
    raw bytea NOT NULL,
    chat_id bigint NOT NULL DEFAULT 0,
    received_at timestamptz NOT NULL,
    PRIMARY KEY (bot_id, update_id)
);
CREATE INDEX tg_updates_of_chat ON tg_updates (chat_id, received_at);

-- +goose Down
DROP TABLE tg_updates, x_accounts, utilities, sites, polls, effects, validations;
DROP FUNCTION refuse_payload_change;
