-- +goose Up
-- What a model can do at an endpoint, asked once a day by one process for all.
-- A row without an answer is being asked, or nobody could be reached.
CREATE TABLE model_probes (
    endpoint text NOT NULL, -- the base URL's SHA-256: an address may hold a key
    model text NOT NULL,
    asked_at timestamptz NOT NULL,
    answered boolean NOT NULL DEFAULT false,
    tools boolean NOT NULL DEFAULT false,
    usage boolean NOT NULL DEFAULT false,
    streams boolean NOT NULL DEFAULT false,
    cost_nusd bigint NOT NULL DEFAULT 0,
    fault text NOT NULL DEFAULT '',
    PRIMARY KEY (endpoint, model)
);

-- +goose Down
DROP TABLE model_probes;
