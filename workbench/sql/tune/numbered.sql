-- In:  labelled (labelled.sql: candidates with pair and label).
-- Out: labelled plus number, which counts the pairs from 0: first the judged ones (used, or shown and not used) in order
--      of time, then those that are set aside, then those that the log never showed.
SELECT l.*, n.number
FROM labelled AS l
JOIN (
    SELECT pair, (row_number() OVER (ORDER BY kind, pair) - 1)::INTEGER AS number
    FROM (
        SELECT pair, any_value(CASE WHEN label IN (0, 1) THEN 0 WHEN label = -1 THEN 1 ELSE 2 END) AS kind
        FROM labelled
        GROUP BY pair
    )
) AS n ON n.pair = l.pair
ORDER BY l.query_id, l.priority, l.uri_order
