-- In:  log (judge.sql).
-- Out: one row a query that showed something: how many of its memories were used, and shown and not used.
SELECT
    query_id,
    count(*) FILTER (label = 'used') AS used,
    count(*) FILTER (label = 'shown_unused') AS unused
FROM log
GROUP BY query_id
