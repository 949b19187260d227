-- What an account has replied since an instant, or may have: what is under way
-- counts as made. Author is that of the post that is answered.
-- name: RepliesMade :one
SELECT count(*) FILTER (WHERE r.at > @hour::timestamptz)::int AS this_hour,
    coalesce(min(r.at) FILTER (WHERE r.at > @hour::timestamptz), 'epoch')::timestamptz AS first_at,
    count(*) FILTER (WHERE r.author_id = @author_id::text AND r.at >= @day::timestamptz)::int AS to_author
FROM (SELECT coalesce(e.done_at, e.attempted_at) AS at, substring(v.payload from '"author_id":"([0-9]+)"') AS author_id
    FROM effects e JOIN validations v ON v.id = e.validation_id
    WHERE e.replies_as = @account AND e.replies_as <> '' AND e.id <> @id
        AND (e.state IN ('attempting', 'unknown') OR e.state = 'done' AND e.done_at >= least(@hour::timestamptz, @day::timestamptz))) r;
