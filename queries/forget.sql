-- Words of others are not kept for ever: these are the operations that have
-- ended before an instant.
-- name: EndedOperations :many
SELECT o.id FROM operations o WHERE o.state IN ('stopped', 'completed')
    AND NOT EXISTS (SELECT FROM events e WHERE e.operation_id = o.id AND e.seq = o.seq AND e.at >= @before);

-- name: ClearMentions :execrows
UPDATE mentions SET text = '', alts = '{}', cleared = true WHERE operation_id = ANY(@operations::bigint[]) AND NOT cleared;

-- What readers were given: which mentions those were stands with the mentions.
-- name: ClearReadings :exec
UPDATE operation_steps SET input = (input - 'mentions') || '{"cleared": true}'
WHERE operation_id = ANY(@operations::bigint[]) AND continuous AND task = @task AND input ->> 'cleared' IS NULL;

-- Alerts about a reader quote what it wrote, which may be what it had read.
-- name: ClearAlerts :exec
UPDATE alerts SET message = split_part(message, ' It wrote: “', 1) || ' What it wrote is no longer kept.'
WHERE operation_id = ANY(@operations::bigint[]) AND kind = 'unsafe_output' AND starts_with(subject, @task::text || '.') AND strpos(message, ' It wrote: “') > 0;

-- held: what vouches for the run held until now.
-- name: ClearRuns :many
UPDATE agent_runs r SET cleared_at = @now FROM operation_steps s
WHERE s.id = r.step_id AND s.operation_id = ANY(@operations::bigint[]) AND s.continuous AND s.task = @task AND r.state <> 'running' AND r.cleared_at IS NULL
RETURNING r.id, coalesce(r.seal = run_seal(r.id, r.state, r.error, r.output), false)::boolean AS held;

-- name: ClearRunItems :exec
UPDATE run_items SET item = cleared_item(item) WHERE run_id = ANY(@runs::uuid[]);

-- name: ClearAnswers :exec
UPDATE llm_calls SET answer = NULL, answer_sha256 = NULL WHERE run_id = ANY(@runs::uuid[]);

-- name: ClearDrafts :exec
DELETE FROM llm_drafts d USING llm_calls c WHERE c.id = d.call_id AND c.run_id = ANY(@runs::uuid[]);

-- name: SealClearedRuns :exec
UPDATE agent_runs SET seal = run_seal(id, state, error, output) WHERE id = ANY(@runs::uuid[]);

-- What authors show of themselves goes with their last words.
-- name: ForgetAuthors :exec
DELETE FROM mention_authors a WHERE NOT EXISTS (SELECT FROM mentions m WHERE m.author_id = a.author_id AND NOT m.cleared);
