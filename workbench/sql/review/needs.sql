-- In:  memory_now, glossary_keywords, memory_views; $nodes.
-- Out: one row a node and address of it: what its advice rests on: content, disclosure, priority, keywords, the texts of
--      its views.
SELECT
    n.node_uuid AS node,
    n.uri,
    coalesce(n.content, '') AS content,
    coalesce(n.disclosure, '') AS disclosure,
    coalesce(n.priority, 0) AS priority,
    coalesce(k.keywords, []) AS keywords,
    coalesce(v.texts, []) AS views
FROM memory_now AS n
LEFT JOIN (SELECT node_uuid, list(keyword ORDER BY keyword) AS keywords FROM glossary_keywords GROUP BY 1) AS k
    ON k.node_uuid = n.node_uuid
LEFT JOIN (
    SELECT uri, list(text_content ORDER BY view_type, id) AS texts
    FROM memory_views
    WHERE coalesce(status, 'active') = 'active'
    GROUP BY uri
) AS v ON v.uri = n.uri
WHERE n.memory_id IS NOT NULL AND list_contains($nodes::VARCHAR[], n.node_uuid)
ORDER BY n.node_uuid, coalesce(n.priority, 0), n.uri
