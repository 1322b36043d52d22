-- In:  display (display.sql over labelled candidates).
-- Out: one row a session that shows anything: what the configuration shows, counted by label.
SELECT
    session,
    count(*) AS shown,
    count(*) FILTER (label = 1) AS used_kept,
    count(*) FILTER (label = 0) AS unused_kept,
    count(*) FILTER (label IS NULL) AS newly_shown,
    count(*) FILTER (label = -1) AS unjudged_kept,
    count(*) FILTER (label = 2) AS newly_helpful,
    count(*) FILTER (label = -2) AS newly_unhelpful,
    count(DISTINCT query_id) AS spoken
FROM (
    SELECT query_id, pair, any_value(session) AS session, any_value(label) AS label
    FROM display
    WHERE shown
    GROUP BY query_id, pair
)
GROUP BY session
