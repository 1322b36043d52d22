-- In:  log (judge.sql), prompts, memory_now, wb.logged_candidates.
-- Out: one row a memory that was shown: its addresses of now and of the log, how often it was shown and used, whether it
--      is deleted, and in how many queries two of its addresses were shown together.
SELECT
    l.node,
    list_sort(list_distinct(list_concat(a.logged, coalesce(n.uris, [])))) AS uris,
    l.shown,
    l.used,
    l.twice,
    n.node_uuid IS NULL AS deleted
FROM (
    SELECT
        node,
        count(*) AS shown,
        count(*) FILTER (label = 'used') AS used,
        count(*) FILTER (uris > 1) AS twice
    FROM log
    GROUP BY node
) AS l
JOIN (
    SELECT coalesce(node_uuid, uri) AS node, list(DISTINCT uri) AS logged
    FROM wb.logged_candidates
    WHERE query_id IN (SELECT p.query_id FROM prompts AS p)
    GROUP BY ALL
) AS a ON a.node = l.node
LEFT JOIN (
    SELECT node_uuid, list(uri) AS uris FROM memory_now WHERE memory_id IS NOT NULL GROUP BY node_uuid
) AS n ON n.node_uuid = l.node
ORDER BY l.shown DESC, l.node
