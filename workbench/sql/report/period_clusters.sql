-- In:  periods (prompts with period 1 or 2), period_log (judge.sql over all of them).
-- Out: one row a session, client and period: used and judged pairs.
SELECT
    p.session_key,
    p.client,
    p.period,
    count(*) FILTER (l.label = 'used')::DOUBLE AS used,
    count(*)::DOUBLE AS judged
FROM period_log AS l
JOIN periods AS p ON p.query_id = l.query_id
WHERE l.label <> 'unknown'
GROUP BY ALL
ORDER BY ALL
