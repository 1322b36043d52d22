-- In:  memory_now.
-- Out: node, uris: the present addresses of each active memory, best priority first; priority and disclosure of the first.
SELECT
    node_uuid AS node,
    list(uri ORDER BY priority, uri) AS uris,
    arg_min(coalesce(priority, 0), (coalesce(priority, 0), uri)) AS priority,
    arg_min(coalesce(disclosure, ''), (coalesce(priority, 0), uri)) AS disclosure,
    any_value(content) AS content
FROM memory_now
WHERE memory_id IS NOT NULL
GROUP BY node_uuid
