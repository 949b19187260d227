-- A late worker's reading does not take the place of a newer one.
-- name: KeepTokenReading :exec
INSERT INTO token_readings (token_id, kind, at, reading) VALUES (@token_id, @kind, @at, @reading)
ON CONFLICT (token_id, kind) DO UPDATE SET at = excluded.at, reading = excluded.reading
WHERE token_readings.at <= excluded.at;

-- name: TokenReading :one
SELECT r.at, r.reading FROM token_readings r JOIN tokens t ON t.id = r.token_id
WHERE t.chain_id = @chain_id AND t.address = @address AND r.kind = @kind;

-- The measurements of a token, whichever takeover they were made for.
-- name: MetricsOfToken :many
SELECT metrics.* FROM metrics WHERE (operation_id, at) IN (
    SELECT m.operation_id, m.at FROM metrics m JOIN operations o ON o.id = m.operation_id JOIN tokens t ON t.id = o.token_id
    WHERE t.chain_id = @chain_id AND t.address = @address AND m.at >= @since ORDER BY m.at DESC LIMIT @most
) ORDER BY at;
