-- In:  log (judge.sql); $near, a difference of scores.
-- Out: one row: pairs of neighbouring places of a prompt whose scores differ by less than $near, and how many of these had
--      the upper alone, and the lower alone, used.
SELECT
    count(*),
    count(*) FILTER (upper = 'used' AND lower <> 'used'),
    count(*) FILTER (upper <> 'used' AND lower = 'used')
FROM (
    SELECT
        label AS upper,
        lead(label) OVER (PARTITION BY query_id ORDER BY logged_place) AS lower,
        score - lead(score) OVER (PARTITION BY query_id ORDER BY logged_place) AS apart
    FROM log
)
WHERE abs(apart) < $near::DOUBLE AND upper <> 'unknown' AND lower <> 'unknown'
