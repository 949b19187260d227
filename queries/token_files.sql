-- name: TokenFile :one
SELECT content, version FROM token_files WHERE token_id = @token_id AND section = @section
ORDER BY version DESC LIMIT 1;

-- name: WriteTokenFile :one
INSERT INTO token_files (token_id, section, version, content, author_run, created_at)
SELECT @token_id, @section, coalesce(max(version), 0) + 1, @content, sqlc.narg(author_run), @created_at
FROM token_files WHERE token_id = @token_id AND section = @section
RETURNING version;
