-- In:  memory_now, wb.logged_candidates; $uri.
-- Out: uri, node_uuid and content of the memory at an address: that of now, else what the log knows of it.
SELECT uri, node_uuid, content
FROM (
    SELECT uri, node_uuid, content, 1 AS origin FROM memory_now WHERE uri = $uri
    UNION ALL
    SELECT c.uri, c.node_uuid, m.content, 2
    FROM (SELECT uri, node_uuid FROM wb.logged_candidates WHERE uri = $uri LIMIT 1) AS c
    LEFT JOIN memory_now AS m ON m.node_uuid = c.node_uuid
)
ORDER BY origin, content
LIMIT 1
