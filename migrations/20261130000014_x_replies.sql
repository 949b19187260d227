-- +goose Up
-- The account that an effect replies as to a post of another account, '' for any
-- other effect: those keep their own pace. The request is canonical JSON, so a
-- text in it holds no plain quotes.
ALTER TABLE effects ADD COLUMN replies_as text NOT NULL GENERATED ALWAYS AS
    (CASE WHEN kind = 'x.post' AND request LIKE '%"answers":"%' THEN coalesce(substring(request from '"account":"([^"]*)"'), '') ELSE '' END) STORED;
CREATE INDEX effects_replies ON effects (lower(replies_as), done_at) WHERE replies_as <> '';

-- +goose Down
ALTER TABLE effects DROP COLUMN replies_as;
