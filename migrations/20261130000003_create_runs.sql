-- +goose Up
CREATE TABLE agent_runs (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    operation_id bigint NOT NULL REFERENCES operations,
    step_id bigint REFERENCES operation_steps,
    question jsonb,
    agent text NOT NULL,
    task text NOT NULL,
    model text NOT NULL,
    prompt_sha256 text NOT NULL,
    system text NOT NULL,
    state text NOT NULL CHECK (state IN ('running', 'succeeded', 'failed')),
    turns integer NOT NULL DEFAULT 0,
    tainted boolean NOT NULL DEFAULT false,
    sources text[] NOT NULL DEFAULT '{}',
    budget_nusd bigint NOT NULL,
    spent_nusd bigint NOT NULL DEFAULT 0,
    reserved_nusd bigint NOT NULL DEFAULT 0,
    overrun_nusd bigint NOT NULL DEFAULT 0,
    error text NOT NULL DEFAULT '',
    started_at timestamptz NOT NULL,
    finished_at timestamptz,
    -- A run belongs to a step or to a question.
    CHECK ((step_id IS NULL) <> (question IS NULL)),
    CONSTRAINT agent_runs_within_budget CHECK (spent_nusd + reserved_nusd <= budget_nusd + overrun_nusd)
);
CREATE UNIQUE INDEX agent_runs_one_running_per_step ON agent_runs (step_id) WHERE state = 'running';
CREATE INDEX agent_runs_of_step ON agent_runs (step_id);

-- What a run said and was told: resume and replay read nothing else.
CREATE TABLE run_items (
    run_id uuid NOT NULL REFERENCES agent_runs,
    seq integer NOT NULL CHECK (seq > 0),
    turn integer NOT NULL,
    item jsonb NOT NULL,
    call_id text,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (run_id, seq)
);
-- A tool call is answered once.
CREATE UNIQUE INDEX run_items_one_answer ON run_items (run_id, turn, call_id) WHERE call_id IS NOT NULL;
CREATE TRIGGER run_items_append_only BEFORE UPDATE OR DELETE ON run_items
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Every paid call: models, images. kind says which.
CREATE TABLE llm_calls (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    operation_id bigint NOT NULL REFERENCES operations,
    run_id uuid NOT NULL REFERENCES agent_runs,
    turn integer NOT NULL,
    kind text NOT NULL CHECK (kind IN ('model', 'image')),
    model text NOT NULL,
    request_sha256 text NOT NULL,
    state text NOT NULL CHECK (state IN ('reserved', 'settled', 'failed', 'unknown')),
    reserved_nusd bigint NOT NULL CHECK (reserved_nusd >= 0),
    cost_nusd bigint CHECK (cost_nusd >= 0),
    cost_source text NOT NULL DEFAULT '',
    usage jsonb,
    latency_ms bigint NOT NULL DEFAULT 0,
    error text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL,
    settled_at timestamptz,
    CHECK ((state = 'reserved') = (cost_nusd IS NULL))
);
CREATE INDEX llm_calls_of_run ON llm_calls (run_id);
CREATE INDEX llm_calls_open ON llm_calls (run_id) WHERE state = 'reserved';

CREATE TABLE assets (
    operation_id bigint NOT NULL REFERENCES operations,
    sha256 text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    step_id bigint NOT NULL REFERENCES operation_steps,
    run_id uuid NOT NULL REFERENCES agent_runs,
    -- The tool call that made it: what was paid for is found again, not made again.
    call_id text NOT NULL,
    label text NOT NULL,
    mime text NOT NULL,
    width integer NOT NULL,
    height integer NOT NULL,
    bytes integer NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (operation_id, sha256)
);
CREATE INDEX assets_by_hash ON assets (sha256);
CREATE INDEX assets_of_call ON assets (run_id, call_id);

-- Built sites and utilities, frozen file by file.
CREATE TABLE builds (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    operation_id bigint NOT NULL REFERENCES operations,
    step_id bigint NOT NULL REFERENCES operation_steps,
    run_id uuid NOT NULL REFERENCES agent_runs,
    call_id text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('site', 'utility')),
    template text NOT NULL,
    fields jsonb NOT NULL,
    files jsonb NOT NULL,
    manifest_sha256 text NOT NULL,
    pages integer NOT NULL,
    bytes bigint NOT NULL,
    report jsonb,
    passed boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL,
    UNIQUE (run_id, call_id)
);

-- +goose Down
DROP TABLE builds, assets, llm_calls, run_items, agent_runs;
