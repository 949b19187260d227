-- +goose Up
-- Every read of X that is paid for an operation. It is admitted with the most
-- that it can cost; what is held back for one whose process died counts as spent.
CREATE TABLE x_reads (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    operation_id bigint NOT NULL REFERENCES operations,
    agent text NOT NULL,
    step_key text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('post', 'user')),
    -- How many are asked for at most, and how many came.
    most integer NOT NULL CHECK (most > 0),
    came integer NOT NULL DEFAULT 0 CHECK (came >= 0),
    price_nusd bigint NOT NULL CHECK (price_nusd > 0),
    -- Whether it is held back from the agent's share, too, and can be refused by it.
    shared boolean NOT NULL,
    state text NOT NULL DEFAULT 'reserved' CHECK (state IN ('reserved', 'settled', 'unknown')),
    reserved_nusd bigint NOT NULL CHECK (reserved_nusd > 0),
    cost_nusd bigint CHECK (cost_nusd >= 0),
    lease_until timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    settled_at timestamptz,
    CHECK ((state = 'reserved') = (cost_nusd IS NULL))
);
CREATE INDEX x_reads_open ON x_reads (lease_until) WHERE state = 'reserved';
CREATE INDEX x_reads_of_operation ON x_reads (operation_id);

-- X bills the same post or account once in a UTC day: what an operation has
-- paid that day is not booked again.
CREATE TABLE x_paid (
    operation_id bigint NOT NULL REFERENCES operations,
    day text NOT NULL, -- 2026-11-30
    kind text NOT NULL,
    id text NOT NULL,
    PRIMARY KEY (operation_id, day, kind, id)
);

-- +goose Down
DROP TABLE x_paid, x_reads;
