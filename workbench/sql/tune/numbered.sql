-- In:  labelled (labelled.sql: candidates with pair and label).
-- Out: labelled plus judged_number, which counts the judged pairs (used, or shown and not used) from 0 in order of time.
SELECT l.*, j.judged_number
FROM labelled AS l
LEFT JOIN (
    SELECT pair, (row_number() OVER (ORDER BY pair) - 1)::INTEGER AS judged_number
    FROM (SELECT DISTINCT pair FROM labelled WHERE label IN (0, 1))
) AS j ON j.pair = l.pair
ORDER BY l.query_id, l.priority, l.uri_order
