-- name: XAccounts :many
SELECT * FROM x_accounts ORDER BY handle;
