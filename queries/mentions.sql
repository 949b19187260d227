-- An operation is looked for from its first post on.
-- name: OpenMentionLooks :exec
INSERT INTO mention_looks (operation_id, next_at)
SELECT o.id, @now FROM operations o
WHERE o.state = 'running' AND o.x_handle <> '' AND NOT EXISTS (SELECT FROM mention_looks l WHERE l.operation_id = o.id)
    AND EXISTS (SELECT FROM effects e WHERE e.operation_id = o.id AND e.kind = 'x.post' AND e.state = 'done')
ON CONFLICT DO NOTHING;

-- name: ClaimMentionLooks :many
UPDATE mention_looks l SET lease_until = @lease_until, fence = l.fence + 1
FROM operations o JOIN x_accounts a ON lower(a.handle) = lower(o.x_handle)
WHERE o.id = l.operation_id AND o.state = 'running' AND a.state = 'connected' AND l.next_at <= @now
    AND (l.lease_until IS NULL OR l.lease_until <= @wall)
RETURNING l.operation_id, l.fence;

-- name: ClaimedMentionLook :one
SELECT * FROM mention_looks WHERE operation_id = @operation_id AND fence = @fence AND lease_until IS NOT NULL;

-- name: RenewMentionLook :execrows
UPDATE mention_looks SET lease_until = @lease_until WHERE operation_id = @operation_id AND fence = @fence AND lease_until IS NOT NULL;

-- name: EndMentionLook :exec
UPDATE mention_looks SET lease_until = NULL, next_at = @next_at, looked_at = coalesce(sqlc.narg(looked_at), looked_at),
    cursor_id = @cursor_id, until_id = @until_id
WHERE operation_id = @operation_id;

-- name: MentionLook :one
SELECT l.looked_at, l.next_at, l.until_id, coalesce(a.state, '')::text AS account
FROM mention_looks l JOIN operations o ON o.id = l.operation_id LEFT JOIN x_accounts a ON lower(a.handle) = lower(o.x_handle)
WHERE l.operation_id = @operation_id;

-- What one UTC day's looks have cost so far, at most: they belong to no step.
-- name: MentionCosts :one
SELECT coalesce(sum(coalesce(cost_nusd, reserved_nusd)), 0)::bigint FROM x_reads
WHERE operation_id = @operation_id AND agent = 'cm' AND step_key = '' AND created_at >= @day;

-- The newest mention that was written by then.
-- name: MentionCursor :one
SELECT coalesce((SELECT m.post_id FROM mentions m WHERE m.operation_id = @operation_id AND m.written_at <= @by
    ORDER BY length(m.post_id) DESC, m.post_id DESC LIMIT 1), '')::text;

-- name: MentionsSince :one
SELECT count(*)::int FROM mentions
WHERE operation_id = @operation_id AND (length(post_id), post_id) > (length(@since::text), @since);

-- name: NewestMention :one
SELECT coalesce(max(written_at), 'epoch')::timestamptz FROM mentions WHERE operation_id = @operation_id;

-- What was found, and how far the look has come with it: nothing for one that is
-- another process's by now.
-- name: AddMentions :one
WITH held AS (
    UPDATE mention_looks l SET until_id = @until_id WHERE l.operation_id = @operation_id AND l.fence = @fence AND l.lease_until IS NOT NULL
    RETURNING l.operation_id
), added AS (
    INSERT INTO mentions (operation_id, post_id, author_id, text, alts, summons, named, own, written_at, found_at)
    SELECT h.operation_id, m.post_id, m.author_id, m.text, ARRAY(SELECT jsonb_array_elements_text(m.alts::jsonb)),
        m.summons OR EXISTS (SELECT FROM effects e WHERE e.operation_id = h.operation_id AND e.kind = 'x.post' AND e.provider_id = m.quotes AND m.quotes <> ''),
        m.named, m.own, m.written_at, @found_at
    FROM held h, (SELECT unnest(@post_ids::text[]) AS post_id, unnest(@author_ids::text[]) AS author_id, unnest(@texts::text[]) AS text,
        unnest(@alts::text[]) AS alts, unnest(@summons::boolean[]) AS summons, unnest(@quotes::text[]) AS quotes,
        unnest(@named::integer[]) AS named, unnest(@owns::boolean[]) AS own, unnest(@written_ats::timestamptz[]) AS written_at) m
    ON CONFLICT (operation_id, post_id) DO NOTHING
)
SELECT count(*)::int FROM held;

-- name: AdvanceMentionLook :execrows
UPDATE mention_looks SET cursor_id = @cursor_id, until_id = @until_id WHERE operation_id = @operation_id AND fence = @fence AND lease_until IS NOT NULL;

-- name: UnknownAuthors :many
SELECT m.author_id FROM mentions m
WHERE m.operation_id = @operation_id AND m.state = 'new' AND NOT m.own
    AND NOT EXISTS (SELECT FROM mention_authors a WHERE a.author_id = m.author_id AND a.read_at > @since)
GROUP BY m.author_id ORDER BY max(m.written_at) DESC LIMIT @most;

-- name: SaveMentionAuthor :exec
INSERT INTO mention_authors (author_id, username, name, bio, followers, joined_at, read_at)
VALUES (@author_id, @username, @name, @bio, @followers, @joined_at, @read_at)
ON CONFLICT (author_id) DO UPDATE SET username = excluded.username, name = excluded.name, bio = excluded.bio,
    followers = excluded.followers, joined_at = excluded.joined_at, read_at = excluded.read_at;

-- The oldest of those whose author was looked up: before that no rule looks at
-- them. A text is found by its hash, since it may be longer than what an index
-- takes; of the authors who wrote the same no more than two are looked for.
-- name: NewMentions :many
SELECT sqlc.embed(m), (a.author_id IS NOT NULL)::boolean AS known, coalesce(a.username, '')::text AS username, coalesce(a.name, '')::text AS name,
    coalesce(a.bio, '')::text AS bio, coalesce(a.followers, 0)::int AS followers, a.joined_at,
    (CASE WHEN first.author_id IS NULL THEN 0 WHEN EXISTS (SELECT FROM mentions d WHERE d.operation_id = m.operation_id AND d.author_id NOT IN (m.author_id, first.author_id)
        AND md5(d.text) = md5(m.text) AND d.text = m.text AND d.written_at BETWEEN m.written_at - interval '1 day' AND m.written_at + interval '1 day') THEN 2 ELSE 1 END)::int AS copies,
    (SELECT count(*) FROM mentions c WHERE c.operation_id = m.operation_id AND c.author_id = m.author_id
        AND c.written_at BETWEEN m.written_at - interval '1 day' AND m.written_at)::int AS today
FROM mentions m LEFT JOIN mention_authors a ON a.author_id = m.author_id
    LEFT JOIN LATERAL (SELECT c.author_id FROM mentions c WHERE c.operation_id = m.operation_id AND c.author_id <> m.author_id
        AND md5(c.text) = md5(m.text) AND c.text = m.text AND c.written_at BETWEEN m.written_at - interval '1 day' AND m.written_at + interval '1 day' LIMIT 1) first ON true
WHERE m.operation_id = @operation_id AND m.state = 'new' AND (m.own OR a.author_id IS NOT NULL)
ORDER BY length(m.post_id), m.post_id LIMIT @most;

-- What rules have looked at, if nothing was made of it meanwhile.
-- name: UnsettledMentions :many
SELECT * FROM mentions WHERE operation_id = @operation_id AND state = 'new' AND post_id = ANY(@post_ids::text[]) ORDER BY length(post_id), post_id;

-- name: SettleMention :exec
UPDATE mentions SET state = @state, kind = @kind, subject = @subject, why = @why, settled_at = @now,
    reading_step = coalesce(sqlc.narg(reading_step), reading_step), reply_step = sqlc.narg(reply_step)
WHERE operation_id = @operation_id AND post_id = @post_id;

-- name: AddMentionOptOut :exec
INSERT INTO mention_opt_outs (author_id, account, operation_id, post_id, at) VALUES (@author_id, @account, @operation_id, @post_id, @at)
ON CONFLICT (author_id, account) DO NOTHING;

-- name: MentionOptedOut :one
SELECT EXISTS (SELECT FROM mention_opt_outs WHERE author_id = @author_id AND account IN ('', lower(@handle::text)));

-- name: RemoveMentionOptOuts :many
DELETE FROM mention_opt_outs WHERE author_id = @author_id AND account IN ('', lower(@handle::text)) RETURNING *;

-- name: MentionsOfReading :many
SELECT * FROM mentions WHERE reading_step = @step_id ORDER BY length(post_id), post_id;

-- name: MentionOfReply :one
SELECT sqlc.embed(m), coalesce(a.username, '')::text AS username FROM mentions m LEFT JOIN mention_authors a ON a.author_id = m.author_id
WHERE m.reply_step = @step_id;

-- What answers an account has made or is about to make: to one author since the
-- day began, and to anybody within an hour.
-- name: MentionAnswers :one
SELECT count(*) FILTER (WHERE m.author_id = @author_id AND (m.state = 'drafted' OR m.settled_at >= @day::timestamptz))::int AS to_author,
    count(*) FILTER (WHERE m.settled_at > @hour::timestamptz)::int AS this_hour
FROM mentions m JOIN operations o ON o.id = m.operation_id JOIN operation_steps s ON s.id = m.reply_step
WHERE lower(o.x_handle) = lower(@handle) AND (m.state = 'answered' AND m.settled_at >= least(@hour::timestamptz, @day::timestamptz)
    OR m.state = 'drafted' AND s.state IN ('pending', 'running', 'waiting_validation'));

-- Drafts for an author that are not out yet.
-- name: OpenRepliesTo :many
SELECT s.* FROM mentions m JOIN operation_steps s ON s.id = m.reply_step
WHERE m.operation_id = @operation_id AND m.author_id = @author_id AND m.state = 'drafted' AND s.state IN ('pending', 'running', 'waiting_validation');

-- name: MentionAnswered :exec
UPDATE mentions SET state = 'answered', settled_at = @now WHERE reply_step = @step_id;

-- name: FlagUnread :execrows
UPDATE mentions SET state = 'flagged', why = 'unread', settled_at = @now WHERE reading_step = @step_id AND state = 'reading';

-- name: MentionCounts :many
SELECT state, count(*)::int AS count FROM mentions WHERE operation_id = @operation_id GROUP BY state;

-- Each way to ask is read off an index of its own.
-- name: Mentions :many
WITH listed AS MATERIALIZED (
    (SELECT n.post_id FROM mentions n WHERE @state::text = '' AND n.operation_id = @operation_id AND (length(n.post_id), n.post_id) < (length(@before::text), @before)
    ORDER BY length(n.post_id) DESC, n.post_id DESC LIMIT @most)
    UNION ALL
    (SELECT n.post_id FROM mentions n WHERE n.state = @state AND n.operation_id = @operation_id AND (length(n.post_id), n.post_id) < (length(@before), @before)
    ORDER BY length(n.post_id) DESC, n.post_id DESC LIMIT @most)
)
SELECT sqlc.embed(m), coalesce(a.username, '')::text AS username, coalesce(a.name, '')::text AS name, coalesce(a.bio, '')::text AS bio,
    coalesce((SELECT CASE WHEN min(w.account) = '' THEN 'all' WHEN min(w.account) <> '' THEN 'account' END FROM mention_opt_outs w
        WHERE w.author_id = m.author_id AND w.account IN ('', (SELECT lower(o.x_handle) FROM operations o WHERE o.id = m.operation_id))), '')::text AS opt_out,
    coalesce(s.key, '')::text AS step_key, coalesce(s.state, '')::text AS step_state,
    coalesce((SELECT v.id::text FROM validations v WHERE v.step_id = s.id ORDER BY v.draft_no DESC LIMIT 1), '')::text AS validation_id,
    coalesce((SELECT e.link FROM effects e WHERE e.step_id = s.id AND e.state = 'done' ORDER BY e.position LIMIT 1), '')::text AS link
FROM listed l JOIN mentions m ON m.operation_id = @operation_id AND m.post_id = l.post_id
    LEFT JOIN mention_authors a ON a.author_id = m.author_id LEFT JOIN operation_steps s ON s.id = m.reply_step
ORDER BY length(m.post_id) DESC, m.post_id DESC;
