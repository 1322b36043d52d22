-- In:  log (judge.sql).
-- Out: one row: the lower quartile of the scores of used memories and the upper quartile of those shown and not used,
--      with the number of scores; NULL where there are none.
SELECT
    quantile_cont(score, 0.25) FILTER (label = 'used') AS used_p25,
    count(score) FILTER (label = 'used') AS used_scores,
    quantile_cont(score, 0.75) FILTER (label = 'shown_unused') AS unused_p75,
    count(score) FILTER (label = 'shown_unused') AS unused_scores
FROM log
