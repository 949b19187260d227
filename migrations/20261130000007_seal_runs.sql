-- +goose Up
-- What a run's end vouches for: how it ended, its output and every entry of its
-- transcript. A replay works the same out of what is stored then.
-- +goose StatementBegin
CREATE FUNCTION run_seal(run uuid, state text, error text, output jsonb) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT encode(sha256(convert_to(state || E'\n' || error || E'\n' || coalesce(output::text, '')
        || coalesce(string_agg(E'\n' || i.seq || ' ' || i.turn || ' ' || (extract(epoch FROM i.created_at) * 1000000)::bigint
            || ' ' || coalesce(i.call_id, '') || ' ' || i.item::text, '' ORDER BY i.seq), ''), 'UTF8')), 'hex')
    FROM run_items i WHERE i.run_id = run
$$;
-- +goose StatementEnd
-- NULL while it goes on, and for the runs that ended before there were seals.
ALTER TABLE agent_runs ADD COLUMN seal text;

-- +goose Down
ALTER TABLE agent_runs DROP COLUMN seal;
DROP FUNCTION run_seal;
