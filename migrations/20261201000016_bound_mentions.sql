-- +goose Up
-- What is alike is looked for within a day, and a page shows one state.
DROP INDEX mentions_alike;
CREATE INDEX mentions_alike ON mentions (operation_id, md5(text), written_at);
CREATE INDEX mentions_in_state ON mentions (operation_id, state, length(post_id), post_id);

-- +goose Down
DROP INDEX mentions_in_state;
DROP INDEX mentions_alike;
CREATE INDEX mentions_alike ON mentions (operation_id, md5(text));
