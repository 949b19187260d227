-- +goose Up
CREATE INDEX mentions_of_day ON mentions (operation_id, author_id, written_at);
CREATE INDEX mentions_alike ON mentions (operation_id, md5(text));
CREATE INDEX mentions_by_time ON mentions (operation_id, written_at);
CREATE INDEX mentions_by_post ON mentions (operation_id, length(post_id), post_id);

-- Lower case, like the account of posts: names on X do not tell it from upper case.
DROP INDEX effects_replies;
ALTER TABLE effects DROP COLUMN replies_as;
ALTER TABLE effects ADD COLUMN replies_as text NOT NULL GENERATED ALWAYS AS
    (CASE WHEN kind = 'x.post' AND request LIKE '%"answers":"%' THEN coalesce(lower(substring(request from '"account":"([^"]*)"')), '') ELSE '' END) STORED;
CREATE INDEX effects_replies ON effects (replies_as, done_at) WHERE replies_as <> '';

-- +goose Down
DROP INDEX effects_replies;
ALTER TABLE effects DROP COLUMN replies_as;
ALTER TABLE effects ADD COLUMN replies_as text NOT NULL GENERATED ALWAYS AS
    (CASE WHEN kind = 'x.post' AND request LIKE '%"answers":"%' THEN coalesce(substring(request from '"account":"([^"]*)"'), '') ELSE '' END) STORED;
CREATE INDEX effects_replies ON effects (lower(replies_as), done_at) WHERE replies_as <> '';

DROP INDEX mentions_by_post;
DROP INDEX mentions_by_time;
DROP INDEX mentions_alike;
DROP INDEX mentions_of_day;
