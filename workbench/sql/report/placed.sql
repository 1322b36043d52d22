-- In:  log (judge.sql); $bands.
-- Out: one row a session, band of the score and kind of place (first or later): used and judged pairs. Only prompts that
--      show two memories or more, so that both kinds of place come from the same prompts; bands hold equally many pairs.
SELECT
    session_key,
    band,
    logged_place = 1 AS first,
    count(*) FILTER (label = 'used')::DOUBLE AS used,
    count(*)::DOUBLE AS judged
FROM (
    SELECT *, ntile($bands::BIGINT) OVER (ORDER BY score, query_id, node) - 1 AS band
    FROM (SELECT *, count(*) OVER (PARTITION BY query_id) AS together FROM log)
    WHERE together > 1 AND label <> 'unknown' AND score IS NOT NULL
)
GROUP BY ALL
ORDER BY ALL
