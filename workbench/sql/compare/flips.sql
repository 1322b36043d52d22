-- In:  first, second (outcomes of two configurations on the same prompts; place is NULL where a memory is not shown).
-- Out: one row a (query, memory) that exactly one of them shows.
SELECT
    coalesce(a.query_id, b.query_id) AS query_id,
    coalesce(a.node, b.node) AS node,
    CASE WHEN b.place IS NULL THEN a.uri ELSE b.uri END AS uri,
    coalesce(a.label, b.label) AS label,
    a.place AS first_place,
    b.place AS second_place
FROM first AS a
FULL JOIN second AS b ON b.query_id = a.query_id AND b.node = a.node
WHERE (a.place IS NULL) <> (b.place IS NULL)
