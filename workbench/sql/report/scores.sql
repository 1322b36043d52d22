-- In:  log (judge.sql).
-- Out: scores of the judged pairs, whether used, and the number of their session.
SELECT
    score,
    label = 'used' AS used,
    dense_rank() OVER (ORDER BY session_key) - 1 AS session
FROM log
WHERE label <> 'unknown' AND score IS NOT NULL
ORDER BY session, score, used
