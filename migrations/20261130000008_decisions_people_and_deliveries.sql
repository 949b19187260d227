-- +goose Up
ALTER TABLE validations
    -- Canonical JSON of everything an approval binds to, '' for drafts of a
    -- program that did not freeze yet: those are frozen when they are next looked at.
    ADD COLUMN frozen text NOT NULL DEFAULT '',
    ADD COLUMN frozen_sha256 bytea NOT NULL DEFAULT sha256(''),
    -- What a form must bring back: a draft that waits anew can't be decided by an old form.
    ADD COLUMN nonce uuid NOT NULL DEFAULT gen_random_uuid(),
    ADD COLUMN marks integer NOT NULL DEFAULT 0 CHECK (marks >= 0),
    -- A decision can be undone until applies_at; what follows from it happens at applied_at.
    ADD COLUMN applies_at timestamptz,
    ADD COLUMN applied_at timestamptz,
    ADD COLUMN first_approved_by text NOT NULL DEFAULT '',
    ADD COLUMN first_approved_at timestamptz,
    ADD COLUMN edited_by text NOT NULL DEFAULT '',
    ADD COLUMN replaces uuid REFERENCES validations,
    ADD COLUMN void_reason text NOT NULL DEFAULT '',
    -- The account's number on X that the first attempt was made with, where the
    -- draft was frozen before the account was connected.
    ADD COLUMN account_id text NOT NULL DEFAULT '',
    ADD CONSTRAINT validations_frozen_hash CHECK (frozen_sha256 = sha256(convert_to(frozen, 'UTF8')));

UPDATE validations SET applied_at = decided_at WHERE decided_at IS NOT NULL;
UPDATE validations v SET marks = jsonb_array_length(CASE jsonb_typeof(v.risk->'problems') WHEN 'array' THEN v.risk->'problems' ELSE '[]' END)
    + (SELECT count(*) FROM jsonb_array_elements(CASE jsonb_typeof(v.risk->'addresses') WHEN 'array' THEN v.risk->'addresses' ELSE '[]' END) a WHERE NOT (a->>'matches')::boolean)
    + (SELECT count(*) FROM jsonb_array_elements(CASE jsonb_typeof(v.risk->'links') WHEN 'array' THEN v.risk->'links' ELSE '[]' END) l WHERE NOT (l->>'allowed')::boolean);

-- A draft whose approval was withdrawn keeps who had approved it.
ALTER TABLE validations DROP CONSTRAINT validations_check;
ALTER TABLE validations ADD CONSTRAINT validations_decided CHECK (CASE state
    WHEN 'pending' THEN decided_at IS NULL AND applied_at IS NULL
    WHEN 'void' THEN true
    ELSE decided_at IS NOT NULL END);
CREATE INDEX validations_to_apply ON validations (applies_at) WHERE state IN ('approved', 'rejected') AND applied_at IS NULL;
DROP INDEX validations_one_pending_per_step;
CREATE UNIQUE INDEX validations_one_open_per_step ON validations (step_id)
    WHERE state = 'pending' OR state IN ('approved', 'rejected') AND applied_at IS NULL;
CREATE INDEX operation_steps_waiting ON operation_steps (operation_id) WHERE state = 'waiting_validation';

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION refuse_payload_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.payload IS DISTINCT FROM OLD.payload OR NEW.payload_sha256 IS DISTINCT FROM OLD.payload_sha256
        OR NEW.kind IS DISTINCT FROM OLD.kind
        OR OLD.frozen <> '' AND NEW.frozen IS DISTINCT FROM OLD.frozen
        OR OLD.account_id <> '' AND NEW.account_id IS DISTINCT FROM OLD.account_id
        OR OLD.applied_at IS NOT NULL AND NEW.applied_at IS DISTINCT FROM OLD.applied_at THEN
        RAISE EXCEPTION 'a validation is frozen: write a new draft';
    END IF;
    IF OLD.state <> NEW.state AND OLD.state <> 'pending' AND NEW.state <> 'void'
        AND NOT (NEW.state = 'pending' AND OLD.state IN ('approved', 'rejected') AND OLD.applied_at IS NULL) THEN
        RAISE EXCEPTION 'a validation is frozen: write a new draft';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

UPDATE effects SET account = lower(account) WHERE account <> lower(account);
-- The first post of a publication waits for its account's turn. The request is
-- canonical JSON, and not read as such: a text in it may hold what jsonb refuses.
ALTER TABLE effects
    -- Pictures that X has taken, to be used again, and what X has charged for
    -- them in the attempt that runs or is in doubt.
    ADD COLUMN media jsonb NOT NULL DEFAULT '[]',
    ADD COLUMN charged_nusd bigint NOT NULL DEFAULT 0 CHECK (charged_nusd >= 0);
ALTER TABLE effects ADD COLUMN begins boolean NOT NULL GENERATED ALWAYS AS
    (kind = 'x.post' AND request LIKE '%"reply_to_position":-1,%') STORED;
CREATE INDEX effects_turns ON effects (account, not_before, id) WHERE begins AND state = 'intent';
CREATE INDEX effects_in_hand ON effects (account, lease_until) WHERE state IN ('attempting', 'unknown');
CREATE INDEX validations_approved ON validations (decided_at) WHERE state = 'approved';

ALTER TABLE users
    ADD COLUMN disabled_at timestamptz,
    ADD COLUMN seen_at timestamptz,
    -- What an authenticator knows the account by: it says nothing of who it is.
    ADD COLUMN handle uuid NOT NULL DEFAULT gen_random_uuid() UNIQUE;
UPDATE users u SET name = u.name || '.' || u.id WHERE EXISTS (SELECT FROM users o WHERE lower(o.name) = lower(u.name) AND o.id < u.id);
-- "Ada" and "ada" are one person to whoever reads who approved.
CREATE UNIQUE INDEX users_name_folded_key ON users (lower(name));

ALTER TABLE invites
    ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid() UNIQUE,
    ADD COLUMN created_by text NOT NULL DEFAULT '',
    -- Set: the link gives this account a new password instead of making one.
    ADD COLUMN for_user bigint REFERENCES users,
    ADD COLUMN revoked_at timestamptz;

CREATE TABLE passkeys (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    credential_id bytea NOT NULL UNIQUE,
    user_id bigint NOT NULL REFERENCES users,
    name text NOT NULL CHECK (name <> '' AND length(name) <= 60),
    credential jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    used_at timestamptz
);
CREATE INDEX passkeys_of_user ON passkeys (user_id);

-- The cookie's token is kept as its SHA-256 from here on: who reads the table
-- is nobody. Open sessions end, and people sign in once more.
DELETE FROM sessions;
ALTER TABLE sessions
    ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid() UNIQUE,
    ADD COLUMN user_id bigint REFERENCES users,
    ADD COLUMN browser text NOT NULL DEFAULT '',
    ADD COLUMN started_at timestamptz,
    ADD COLUMN seen_at timestamptz,
    -- What a passkey is to sign next, '' once it was taken: it is answered once.
    ADD COLUMN challenge text NOT NULL DEFAULT '';
CREATE INDEX sessions_of_user ON sessions (user_id);

-- Alerts on their way to where the team is told. One is told again until the
-- other side has taken it, which knows it by the alert's number.
CREATE TABLE alert_deliveries (
    alert_id bigint NOT NULL REFERENCES alerts,
    channel text NOT NULL CHECK (channel IN ('telegram', 'webhook')),
    state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'sent', 'given_up')),
    attempt integer NOT NULL DEFAULT 0,
    next_at timestamptz NOT NULL,
    lease_until timestamptz,
    sent_at timestamptz,
    error text NOT NULL DEFAULT '',
    PRIMARY KEY (alert_id, channel)
);
CREATE INDEX alert_deliveries_due ON alert_deliveries (next_at) WHERE state = 'pending';
CREATE INDEX alert_deliveries_pace ON alert_deliveries (channel, sent_at);
CREATE INDEX alerts_open ON alerts (created_at DESC, id DESC) WHERE acknowledged_at IS NULL;

-- +goose Down
DROP INDEX effects_turns, effects_in_hand, validations_approved;
ALTER TABLE effects DROP COLUMN begins, DROP COLUMN media, DROP COLUMN charged_nusd;
DROP INDEX alerts_open;
DROP TABLE alert_deliveries, passkeys;
-- What was closed would be open again, and a new password's link make an account.
DELETE FROM invites WHERE used_by IS NULL AND (revoked_at IS NOT NULL OR for_user IS NOT NULL);
ALTER TABLE sessions DROP COLUMN id, DROP COLUMN user_id, DROP COLUMN browser, DROP COLUMN started_at, DROP COLUMN seen_at, DROP COLUMN challenge;
ALTER TABLE invites DROP COLUMN id, DROP COLUMN created_by, DROP COLUMN for_user, DROP COLUMN revoked_at;
DROP INDEX users_name_folded_key;
ALTER TABLE users DROP COLUMN disabled_at, DROP COLUMN seen_at, DROP COLUMN handle;
DROP INDEX operation_steps_waiting;
DROP INDEX validations_one_open_per_step;
CREATE UNIQUE INDEX validations_one_pending_per_step ON validations (step_id) WHERE state = 'pending';
DROP INDEX validations_to_apply;
ALTER TABLE validations DROP CONSTRAINT validations_decided;
-- Nothing has followed from these yet, and nothing would: they are decided again.
UPDATE validations SET state = 'pending', decided_by = '', decided_at = NULL, reason = '', receipt_url = '', applies_at = NULL
WHERE state IN ('approved', 'rejected') AND applied_at IS NULL;
UPDATE validations SET decided_at = NULL WHERE state = 'void';
ALTER TABLE validations ADD CHECK ((state IN ('approved', 'rejected')) = (decided_at IS NOT NULL));
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION refuse_payload_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.payload IS DISTINCT FROM OLD.payload OR NEW.payload_sha256 IS DISTINCT FROM OLD.payload_sha256
        OR NEW.kind IS DISTINCT FROM OLD.kind OR (OLD.state <> 'pending' AND NEW.state <> OLD.state AND NEW.state <> 'void') THEN
        RAISE EXCEPTION 'a validation is frozen: write a new draft';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
ALTER TABLE validations DROP CONSTRAINT validations_frozen_hash, DROP COLUMN frozen, DROP COLUMN frozen_sha256, DROP COLUMN nonce, DROP COLUMN marks,
    DROP COLUMN applies_at, DROP COLUMN applied_at, DROP COLUMN first_approved_by, DROP COLUMN first_approved_at, DROP COLUMN edited_by,
    DROP COLUMN replaces, DROP COLUMN void_reason, DROP COLUMN account_id;
