-- name: AddRunItem :exec
INSERT INTO run_items (run_id, seq, turn, item, call_id, created_at)
SELECT @run_id, coalesce(max(seq), 0) + 1, @turn, @item, sqlc.narg(call_id), @created_at
FROM run_items WHERE run_id = @run_id;

-- name: RunItems :many
SELECT * FROM run_items WHERE run_id = @run_id ORDER BY seq;
