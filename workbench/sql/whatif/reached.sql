-- In:  display (display.sql over labelled candidates, at the lowest threshold that is asked about).
-- Out: one row a (query, memory) that is shown at that threshold: reach, the highest threshold at which it still is
--      (candidates of a lower score never take a place from it), its label and the address that it is shown under.
SELECT
    query_id,
    pair,
    max(score) AS reach,
    any_value(label) AS label,
    arg_min(uri, ranked_position) AS uri
FROM display
WHERE shown
GROUP BY query_id, pair
