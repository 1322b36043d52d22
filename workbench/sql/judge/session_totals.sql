-- In:  prompts, log (judge.sql).
-- Out: one row a session, numbered as in labelled.sql: prompts, and shown pairs of the log by label.
SELECT
    dense_rank() OVER (ORDER BY p.session_key)::INTEGER AS session,
    p.session_key,
    count(*) AS prompts,
    coalesce(sum(l.used), 0)::BIGINT AS used,
    coalesce(sum(l.shown_unused), 0)::BIGINT AS shown_unused,
    coalesce(sum(l.unknown), 0)::BIGINT AS unknown
FROM prompts AS p
LEFT JOIN (
    SELECT
        query_id,
        count(*) FILTER (label = 'used') AS used,
        count(*) FILTER (label = 'shown_unused') AS shown_unused,
        count(*) FILTER (label = 'unknown') AS unknown
    FROM log
    GROUP BY query_id
) AS l ON l.query_id = p.query_id
GROUP BY p.session_key
ORDER BY session
