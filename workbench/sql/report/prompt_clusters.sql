-- In:  prompts, log (judge.sql).
-- Out: one row a kind of session: shown pairs, silent prompts, prompts, and how many sessions have exactly these.
SELECT shown, silent, prompts, count(*)::DOUBLE AS sessions
FROM (
    SELECT
        coalesce(sum(l.shown), 0)::DOUBLE AS shown,
        count(*) FILTER (l.shown IS NULL)::DOUBLE AS silent,
        count(*)::DOUBLE AS prompts
    FROM prompts AS p
    LEFT JOIN (SELECT query_id, count(*) AS shown FROM log GROUP BY query_id) AS l ON l.query_id = p.query_id
    GROUP BY p.session_key
)
GROUP BY ALL
ORDER BY ALL
