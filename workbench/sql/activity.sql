-- In:  judged_prompts (query_id, now), judged_log (one row a shown (query, memory) with its label); $zone, the time zone
--      of a calendar day.
-- Out: day, prompts, shown and used (query, memory) pairs, one row a calendar day without gaps, oldest first.
WITH days AS (
    SELECT
        timezone($zone::VARCHAR, p.now)::DATE AS day,
        count(*) AS prompts,
        sum(l.shown)::BIGINT AS shown,
        sum(l.used)::BIGINT AS used
    FROM judged_prompts AS p
    LEFT JOIN (
        SELECT query_id, count(*) AS shown, count(*) FILTER (label = 'used') AS used FROM judged_log GROUP BY query_id
    ) AS l ON l.query_id = p.query_id
    WHERE p.now IS NOT NULL
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
