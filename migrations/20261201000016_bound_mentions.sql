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

-- Words of others are not kept for ever: what a run was told of them is cleared,
-- and says so. Nothing else of a transcript changes.
-- +goose StatementBegin
CREATE FUNCTION cleared_item(item jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT jsonb_build_object('role', item -> 'role', 'cleared', true,
        'text', 'This is no longer kept: it held words of others, and the operation ended more than a month ago.')
$$;
-- +goose StatementEnd
ALTER TABLE agent_runs ADD COLUMN cleared_at timestamptz;
UPDATE agent_runs r SET cleared_at = coalesce(r.finished_at, r.started_at)
WHERE r.task = 'cm.mentions' AND EXISTS (SELECT FROM run_items i WHERE i.run_id = r.id AND i.item ->> 'cleared' = 'true');
DROP TRIGGER run_items_append_only ON run_items;
CREATE TRIGGER run_items_append_only BEFORE DELETE ON run_items FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER run_items_only_cleared BEFORE UPDATE ON run_items FOR EACH ROW
    WHEN (NEW.item <> cleared_item(OLD.item) OR (NEW.run_id, NEW.seq, NEW.turn, NEW.call_id, NEW.created_at) IS DISTINCT FROM (OLD.run_id, OLD.seq, OLD.turn, OLD.call_id, OLD.created_at))
    EXECUTE FUNCTION refuse_change();

-- Those of an older program, which knew no steps beside the calendar.
UPDATE operation_steps SET continuous = true
WHERE NOT continuous AND task IN ('cm.mentions', 'cm.mention_reply') AND starts_with(key, task || '.');

-- +goose Down
-- An older program knows no steps beside the calendar, so none is left to it
-- that waits: of what has begun, what was paid and what went out stays as it is,
-- and of the rest a person sees the mention.
UPDATE mentions SET state = 'flagged', why = 'unread' WHERE state = 'reading';
UPDATE validations v SET state = 'void', void_reason = 'the program was taken back' FROM operation_steps s
WHERE s.id = v.step_id AND s.continuous AND s.state = 'waiting_validation' AND v.state IN ('pending', 'approved')
    AND NOT EXISTS (SELECT FROM effects e WHERE e.step_id = s.id AND e.state IN ('attempting', 'unknown', 'done'));
UPDATE effects e SET state = 'void', error = 'the program was taken back' FROM validations v
WHERE v.id = e.validation_id AND v.state = 'void' AND v.void_reason = 'the program was taken back' AND e.state IN ('intent', 'failed');
UPDATE operation_steps s SET state = 'cancelled', error = 'the program was taken back'
WHERE s.continuous AND (s.state = 'pending' OR s.state = 'waiting_validation'
    AND NOT EXISTS (SELECT FROM effects e WHERE e.step_id = s.id AND e.state IN ('attempting', 'unknown', 'done')));
UPDATE mentions m SET reading_step = NULL FROM operation_steps s
WHERE s.id = m.reading_step AND s.state = 'cancelled' AND NOT EXISTS (SELECT FROM agent_runs r WHERE r.step_id = s.id);
UPDATE mentions m SET state = 'flagged', why = 'unread', reply_step = NULL FROM operation_steps s
WHERE s.id = m.reply_step AND s.state = 'cancelled' AND NOT EXISTS (SELECT FROM agent_runs r WHERE r.step_id = s.id);
DELETE FROM operation_steps s WHERE s.continuous AND s.state = 'cancelled'
    AND NOT EXISTS (SELECT FROM agent_runs r WHERE r.step_id = s.id) AND NOT EXISTS (SELECT FROM validations v WHERE v.step_id = s.id);

DROP TRIGGER run_items_only_cleared ON run_items;
DROP TRIGGER run_items_append_only ON run_items;
CREATE TRIGGER run_items_append_only BEFORE UPDATE OR DELETE ON run_items FOR EACH ROW EXECUTE FUNCTION refuse_change();
ALTER TABLE agent_runs DROP COLUMN cleared_at;
DROP FUNCTION cleared_item;

DELETE FROM mention_opt_outs w USING mention_opt_outs other WHERE other.author_id = w.author_id AND other.account < w.account;
ALTER TABLE mention_opt_outs DROP CONSTRAINT mention_opt_outs_pkey, DROP COLUMN account, ADD PRIMARY KEY (author_id);
DROP INDEX mentions_in_state;
DROP INDEX mentions_alike;
CREATE INDEX mentions_alike ON mentions (operation_id, md5(text));
