-- +goose Up
-- What is alike is looked for within a day, and a page shows one state.
DROP INDEX mentions_alike;
CREATE INDEX mentions_alike ON mentions (operation_id, md5(text), written_at);
CREATE INDEX mentions_in_state ON mentions (operation_id, state, length(post_id), post_id);

-- The account that leaves the author alone, '' for all of ours: a wish that only
-- a reader saw holds for the one that it was put to.
ALTER TABLE mention_opt_outs ADD COLUMN account text NOT NULL DEFAULT '' CHECK (account = lower(account)),
    DROP CONSTRAINT mention_opt_outs_pkey, ADD PRIMARY KEY (author_id, account);
UPDATE mention_opt_outs w SET account = lower(o.x_handle) FROM mentions m JOIN operations o ON o.id = m.operation_id
WHERE m.operation_id = w.operation_id AND m.post_id = w.post_id AND m.why = 'reader';

-- +goose Down
DELETE FROM mention_opt_outs w USING mention_opt_outs other WHERE other.author_id = w.author_id AND other.account < w.account;
ALTER TABLE mention_opt_outs DROP CONSTRAINT mention_opt_outs_pkey, DROP COLUMN account, ADD PRIMARY KEY (author_id);
DROP INDEX mentions_in_state;
DROP INDEX mentions_alike;
CREATE INDEX mentions_alike ON mentions (operation_id, md5(text));
