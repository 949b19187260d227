-- +goose Up
-- What was last read of a token, for whoever asks us: nobody's question sets off
-- a read of the chain or the market.
CREATE TABLE token_readings (
    token_id bigint NOT NULL REFERENCES tokens,
    kind text NOT NULL CHECK (kind IN ('facts', 'holders', 'market')),
    at timestamptz NOT NULL,
    reading jsonb NOT NULL,
    PRIMARY KEY (token_id, kind)
);
INSERT INTO token_readings (token_id, kind, at, reading)
SELECT DISTINCT ON (o.token_id) o.token_id, 'market', m.at, m.reading || '{"source": "daily metrics"}'
FROM metrics m JOIN operations o ON o.id = m.operation_id ORDER BY o.token_id, m.at DESC;

-- +goose Down
DROP TABLE token_readings;
