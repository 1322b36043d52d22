-- In:  selected (queries), wb.logged_candidates; $zone, the time zone of a calendar day.
-- Out: day, prompts, shown and used (query, memory) pairs, one row a calendar day without gaps, oldest first.
WITH days AS (
    SELECT
        timezone($zone::VARCHAR, s.now)::DATE AS day,
        count(*) AS prompts,
        sum(c.shown)::BIGINT AS shown,
        sum(c.used)::BIGINT AS used
    FROM selected AS s
    LEFT JOIN (
        SELECT
            query_id,
            count(DISTINCT coalesce(node_uuid, uri)) FILTER (logged_shown) AS shown,
            count(DISTINCT coalesce(node_uuid, uri)) FILTER (used) AS used
        FROM wb.logged_candidates
        GROUP BY query_id
    ) AS c ON c.query_id = s.query_id
    GROUP BY 1
)
SELECT
    strftime(a.day, '%Y-%m-%d') AS day,
    coalesce(d.prompts, 0) AS prompts,
    coalesce(d.shown, 0) AS shown,
    coalesce(d.used, 0) AS used
FROM (SELECT unnest(generate_series(min(day), max(day), INTERVAL 1 DAY))::DATE AS day FROM days) AS a
LEFT JOIN days AS d ON d.day = a.day
ORDER BY a.day
