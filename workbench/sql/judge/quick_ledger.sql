-- In:  display (display.sql over labelled candidates).
-- Out: one row: what the configuration shows, counted by label. What it lost follows from the totals of the log.
SELECT
    count(*) AS shown,
    count(*) FILTER (label = 1) AS used_kept,
    count(*) FILTER (label = 0) AS unused_kept,
    count(*) FILTER (label IS NULL) AS newly_shown,
    count(*) FILTER (label = -1) AS unjudged_kept,
    count(*) FILTER (label = 2) AS newly_helpful,
    count(*) FILTER (label = -2) AS newly_unhelpful,
    count(DISTINCT query_id) AS spoken
FROM (SELECT query_id, pair, any_value(label) AS label FROM display WHERE shown GROUP BY query_id, pair)
