-- In:  log (judge.sql).
-- Out: one row a kind of session: used pairs, judged pairs, and how many sessions have exactly these.
SELECT used, judged, count(*)::DOUBLE AS sessions
FROM (
    SELECT
        count(*) FILTER (label = 'used')::DOUBLE AS used,
        count(*) FILTER (label <> 'unknown')::DOUBLE AS judged
    FROM log
    GROUP BY session_key
)
GROUP BY ALL
ORDER BY ALL
