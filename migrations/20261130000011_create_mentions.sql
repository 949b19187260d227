-- +goose Up
-- Steps that are made while the operation runs, beside the calendar's.
ALTER TABLE operation_steps ADD COLUMN continuous boolean NOT NULL DEFAULT false;
CREATE INDEX operation_steps_continuous ON operation_steps (operation_id, due_at, id) WHERE continuous;

-- One look at an account's mentions at a time for each operation.
CREATE TABLE mention_looks (
    operation_id bigint PRIMARY KEY REFERENCES operations,
    -- Every mention up to this post has been read, '' for none.
    cursor_id text NOT NULL DEFAULT '' CHECK (cursor_id ~ '^[0-9]{0,20}$'),
    -- Where a look that was cut short goes on, towards the cursor: '' for none.
    until_id text NOT NULL DEFAULT '' CHECK (until_id ~ '^[0-9]{0,20}$'),
    next_at timestamptz NOT NULL,
    looked_at timestamptz,
    -- Wall-clock lease of the process that looks, and the token that a late one
    -- can't write past.
    lease_until timestamptz,
    fence bigint NOT NULL DEFAULT 0
);

CREATE TABLE mention_authors (
    author_id text PRIMARY KEY CHECK (author_id ~ '^[0-9]{1,20}$'),
    username text NOT NULL,
    name text NOT NULL,
    bio text NOT NULL,
    followers integer NOT NULL,
    joined_at timestamptz,
    read_at timestamptz NOT NULL
);

-- Whoever asked to be left alone is never answered again, by no account of ours.
CREATE TABLE mention_opt_outs (
    author_id text PRIMARY KEY CHECK (author_id ~ '^[0-9]{1,20}$'),
    operation_id bigint NOT NULL REFERENCES operations,
    post_id text NOT NULL,
    at timestamptz NOT NULL
);

CREATE TABLE mentions (
    operation_id bigint NOT NULL REFERENCES operations,
    post_id text NOT NULL CHECK (post_id ~ '^[0-9]{1,20}$'),
    author_id text NOT NULL CHECK (author_id ~ '^[0-9]{1,20}$'),
    text text NOT NULL,
    alts text[] NOT NULL DEFAULT '{}',
    -- The author named or quoted the account in their own words.
    summons boolean NOT NULL,
    named integer NOT NULL,
    own boolean NOT NULL,
    cleared boolean NOT NULL DEFAULT false,
    written_at timestamptz NOT NULL,
    found_at timestamptz NOT NULL,
    state text NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'reading', 'ignored', 'flagged', 'drafted', 'answered')),
    kind text NOT NULL DEFAULT '',
    subject text NOT NULL DEFAULT '',
    -- What decided: a rule's name, '' until one has.
    why text NOT NULL DEFAULT '',
    settled_at timestamptz,
    reading_step bigint REFERENCES operation_steps,
    reply_step bigint REFERENCES operation_steps,
    PRIMARY KEY (operation_id, post_id),
    CHECK ((state IN ('drafted', 'answered')) = (reply_step IS NOT NULL))
);
CREATE INDEX mentions_of_author ON mentions (author_id, settled_at) WHERE reply_step IS NOT NULL;
CREATE INDEX mentions_new ON mentions (operation_id) WHERE state = 'new';
CREATE INDEX mentions_of_reading ON mentions (reading_step) WHERE reading_step IS NOT NULL;
CREATE UNIQUE INDEX mentions_of_reply ON mentions (reply_step) WHERE reply_step IS NOT NULL;

-- +goose Down
DROP TABLE mentions, mention_opt_outs, mention_authors, mention_looks;
DROP INDEX operation_steps_continuous;
ALTER TABLE operation_steps DROP COLUMN continuous;
