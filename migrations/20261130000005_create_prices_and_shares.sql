-- +goose Up
-- What models cost. The table can only grow: a correction is a later import,
-- and what was booked before it stays as it was booked.
CREATE TABLE prices (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    model text NOT NULL CHECK (model <> ''),
    kind text NOT NULL CHECK (kind IN ('tokens', 'image')),
    size text NOT NULL,
    -- Per million tokens.
    input_nusd bigint NOT NULL CHECK (input_nusd >= 0),
    cached_nusd bigint NOT NULL CHECK (cached_nusd >= 0),
    output_nusd bigint NOT NULL CHECK (output_nusd >= 0),
    -- Per picture.
    image_nusd bigint NOT NULL CHECK (image_nusd >= 0),
    effective_at timestamptz NOT NULL,
    imported_at timestamptz NOT NULL,
    imported_by text NOT NULL,
    source text NOT NULL,
    CHECK ((kind = 'image') = (size <> '')),
    CHECK (kind = 'tokens' OR (input_nusd = 0 AND cached_nusd = 0 AND output_nusd = 0)),
    CHECK (kind = 'image' OR image_nusd = 0)
);
CREATE INDEX prices_newest ON prices (model, size, effective_at, id);
CREATE TRIGGER prices_append_only BEFORE UPDATE OR DELETE ON prices
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Prices were settings before, with a history of their own. What was taken back
-- by null, and what is below nothing, is no price.
DELETE FROM settings s USING settings n
WHERE (s.key LIKE 'llm.prices.%' OR s.key LIKE 'image.prices.%') AND n.key = s.key AND n.id >= s.id AND n.value = 'null';
DELETE FROM settings WHERE key LIKE 'llm.prices.%' AND (value ->> 'input' LIKE '-%' OR value ->> 'cached_input' LIKE '-%' OR value ->> 'output' LIKE '-%')
    OR key LIKE 'image.prices.%' AND value #>> '{}' LIKE '-%';
INSERT INTO prices (model, kind, size, input_nusd, cached_nusd, output_nusd, image_nusd, effective_at, imported_at, imported_by, source)
SELECT substr(key, length('llm.prices.') + 1), 'tokens', '', coalesce((value ->> 'input')::bigint, 0),
    coalesce((value ->> 'cached_input')::bigint, 0), coalesce((value ->> 'output')::bigint, 0), 0, set_at, set_at, set_by, 'setting'
FROM settings WHERE key LIKE 'llm.prices.%' ORDER BY id;
INSERT INTO prices (model, kind, size, input_nusd, cached_nusd, output_nusd, image_nusd, effective_at, imported_at, imported_by, source)
SELECT substr(key, length('image.prices.') + 1), 'image', '1024x1024', 0, 0, 0, (value #>> '{}')::bigint, set_at, set_at, set_by, 'setting'
FROM settings WHERE key LIKE 'image.prices.%' ORDER BY id;
DELETE FROM settings WHERE key LIKE 'llm.prices.%' OR key LIKE 'image.prices.%';
UPDATE settings SET key = 'run.retries' WHERE key = 'run.model_retries';
-- Whole numbers have bounds now.
UPDATE settings SET value = to_jsonb(greatest(0, least((value #>> '{}')::numeric, CASE key WHEN 'budget.warning_percent' THEN 100 ELSE 1048576 END)))
WHERE key IN ('validation.max_rejections', 'run.max_turns', 'run.retries', 'budget.warning_percent') AND jsonb_typeof(value) = 'number';

ALTER TABLE llm_calls
    ADD COLUMN agent text NOT NULL DEFAULT '',
    ADD COLUMN output_limit bigint NOT NULL DEFAULT 0 CHECK (output_limit >= 0),
    -- The price it was booked with: of its tokens, or per picture of that size.
    ADD COLUMN price jsonb,
    ADD COLUMN size text NOT NULL DEFAULT '',
    ADD COLUMN images integer NOT NULL DEFAULT 0 CHECK (images >= 0),
    -- What the model said, byte for byte as it was kept, for replay.
    ADD COLUMN answer text,
    ADD COLUMN answer_sha256 text,
    -- Its answer was lost with the process that asked.
    ADD COLUMN lost boolean NOT NULL DEFAULT false,
    ADD CHECK ((answer IS NULL) = (answer_sha256 IS NULL)),
    ADD CHECK (NOT lost OR state = 'unknown');
UPDATE llm_calls c SET agent = r.agent FROM agent_runs r WHERE r.id = c.run_id;
UPDATE llm_calls SET lost = true WHERE state = 'unknown'
    AND (error = 'the process died before the answer was kept' OR error LIKE 'the operation was % while the call was under way');
CREATE INDEX llm_calls_of_operation ON llm_calls (operation_id);

-- The claim that the run goes on under, its step's: a worker that has lost it
-- reserves nothing.
ALTER TABLE agent_runs ADD COLUMN fence bigint NOT NULL DEFAULT 0,
    -- What a run that succeeded ended with; a step keeps that of its newest.
    ADD COLUMN output jsonb;
UPDATE agent_runs r SET fence = s.fence FROM operation_steps s WHERE s.id = r.step_id;

-- An answer as it comes, until it is whole. It is worth nothing after a crash.
CREATE UNLOGGED TABLE llm_drafts (
    call_id bigint PRIMARY KEY REFERENCES llm_calls,
    text text NOT NULL CHECK (octet_length(text) <= 65536),
    at timestamptz NOT NULL
);

-- What each agent may spend of an operation's cap. Shares are walls, not a
-- partition: they may add up to more than the cap, which stands above them.
CREATE TABLE agent_spending (
    operation_id bigint NOT NULL REFERENCES operations,
    agent text NOT NULL CHECK (agent <> ''),
    share_nusd bigint NOT NULL CHECK (share_nusd >= 0),
    spent_nusd bigint NOT NULL DEFAULT 0 CHECK (spent_nusd >= 0),
    reserved_nusd bigint NOT NULL DEFAULT 0 CHECK (reserved_nusd >= 0),
    -- What was spent beyond the share without being stopped by it: publications
    -- that a person approved, and what a provider charged too much.
    overrun_nusd bigint NOT NULL DEFAULT 0 CHECK (overrun_nusd >= 0),
    PRIMARY KEY (operation_id, agent),
    CONSTRAINT agent_spending_within_share CHECK (spent_nusd + reserved_nusd <= share_nusd + overrun_nusd)
);
INSERT INTO agent_spending (operation_id, agent, share_nusd, spent_nusd, reserved_nusd, overrun_nusd)
SELECT id, agent, share, spent, reserved, greatest(spent + reserved - share, 0)
FROM (SELECT o.id, b.agent, o.cap_nusd / 100 * CASE b.agent WHEN 'designer' THEN 50 ELSE 40 END AS share,
        sum(b.spent)::bigint AS spent, sum(b.reserved)::bigint AS reserved
    FROM (SELECT operation_id, agent, coalesce(cost_nusd, 0) AS spent, CASE state WHEN 'reserved' THEN reserved_nusd ELSE 0 END AS reserved FROM llm_calls
        UNION ALL
        SELECT e.operation_id, s.agent, e.cost_nusd, 0 FROM effects e JOIN operation_steps s ON s.id = e.step_id WHERE e.state = 'done') b
    JOIN operations o ON o.id = b.operation_id
    WHERE b.agent <> '' GROUP BY o.id, b.agent) sums;

-- +goose Down
DROP TABLE agent_spending, llm_drafts, prices;
ALTER TABLE agent_runs DROP COLUMN fence, DROP COLUMN output;
DROP INDEX llm_calls_of_operation;
ALTER TABLE llm_calls DROP COLUMN agent, DROP COLUMN output_limit, DROP COLUMN price, DROP COLUMN size, DROP COLUMN images,
    DROP COLUMN answer, DROP COLUMN answer_sha256, DROP COLUMN lost;
UPDATE settings SET key = 'run.model_retries' WHERE key = 'run.retries';
