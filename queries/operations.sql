-- name: SaveToken :one
INSERT INTO tokens (chain_id, address, name, symbol, decimals, created_at)
VALUES (@chain_id, @address, @name, @symbol, @decimals, @created_at)
ON CONFLICT (chain_id, address) DO UPDATE SET name = excluded.name, symbol = excluded.symbol
RETURNING id;

-- name: CreateOperation :one
INSERT INTO operations (token_id, slug, j0, state, cap_nusd, envelope_nusd, x_handle, telegram_chat, site_host, created_at)
VALUES (@token_id, @slug, @j0, 'scheduled', @cap_nusd, @envelope_nusd, @x_handle, @telegram_chat, @site_host, @created_at)
RETURNING id;

-- name: SlugTaken :one
SELECT EXISTS (SELECT FROM operations WHERE slug = @slug);

-- name: SiteHostTaken :one
SELECT EXISTS (SELECT FROM operations WHERE site_host = @site_host);

-- name: OperationForUpdate :one
SELECT sqlc.embed(o), sqlc.embed(t) FROM operations o JOIN tokens t ON t.id = o.token_id
WHERE o.id = @id FOR UPDATE OF o;

-- name: OperationForUpdateNow :one
SELECT sqlc.embed(o), sqlc.embed(t) FROM operations o JOIN tokens t ON t.id = o.token_id
WHERE o.id = @id FOR UPDATE OF o NOWAIT;

-- name: Operation :one
SELECT sqlc.embed(o), sqlc.embed(t) FROM operations o JOIN tokens t ON t.id = o.token_id
WHERE o.id = @id;

-- name: OperationState :one
SELECT state FROM operations WHERE id = @id;

-- name: OperationBySlug :one
SELECT sqlc.embed(o), sqlc.embed(t) FROM operations o JOIN tokens t ON t.id = o.token_id
WHERE o.slug = @slug;

-- name: OperationSummaries :many
SELECT sqlc.embed(o), sqlc.embed(t),
    coalesce(e.line::jsonb ->> 'summary', '')::text AS last_summary, e.at AS last_at,
    (SELECT count(*) FROM validations v JOIN operation_steps s ON s.id = v.step_id
        WHERE v.operation_id = o.id AND v.state = 'pending' AND s.state = 'waiting_validation')::int AS waiting,
    coalesce((SELECT v.output ->> 'verdict' FROM operation_steps v
        WHERE v.operation_id = o.id AND v.key = 'scanner.verdict' AND v.state = 'done'), '')::text AS verdict
FROM operations o
JOIN tokens t ON t.id = o.token_id
LEFT JOIN events e ON e.operation_id = o.id AND e.seq = o.seq
ORDER BY o.state IN ('running', 'paused', 'scheduled') DESC, o.j0 DESC
LIMIT 200;

-- name: SealOperation :exec
UPDATE operations SET state = @state, stop_reason = @stop_reason, spent_nusd = @spent_nusd,
    reserved_nusd = @reserved_nusd, overrun_nusd = @overrun_nusd, seq = @seq, head_hash = @head_hash
WHERE id = @id;

-- name: ScheduledDue :many
SELECT id FROM operations WHERE state = 'scheduled' AND j0 <= @now ORDER BY j0, id;

-- name: RequestBuyback :exec
INSERT INTO buyback_requests (operation_id, amount_nusd, requested_at)
VALUES (@operation_id, @amount_nusd, @requested_at) ON CONFLICT (operation_id) DO NOTHING;

-- name: BuybackRequested :one
SELECT EXISTS (SELECT FROM buyback_requests WHERE operation_id = @operation_id);

-- name: Candidates :many
SELECT sqlc.embed(c), sqlc.embed(t) FROM candidates c JOIN tokens t ON t.id = c.token_id
WHERE @state::text = '' OR c.state = @state::text
ORDER BY c.score DESC, c.token_id DESC OFFSET @skip LIMIT @most;

-- name: Candidate :one
SELECT sqlc.embed(c), sqlc.embed(t), coalesce(o.slug, '')::text AS slug, coalesce(o.state, '')::text AS takeover
FROM candidates c JOIN tokens t ON t.id = c.token_id
LEFT JOIN LATERAL (SELECT slug, state FROM operations WHERE token_id = t.id ORDER BY id DESC LIMIT 1) o ON true
WHERE t.chain_id = @chain_id AND t.address = @address;

-- name: SaveCandidate :exec
INSERT INTO candidates (token_id, state, score, report, updated_at) VALUES (@token_id, @state, @score, @report, @updated_at)
ON CONFLICT (token_id) DO UPDATE SET state = excluded.state, score = excluded.score, report = excluded.report,
    report_version = candidates.report_version + 1, updated_at = excluded.updated_at;
