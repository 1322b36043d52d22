-- In:  memory_now, edges, paths, glossary_keywords.
-- Out: one row an address, also of a memory that was removed: uri, domain, path, edge_id, parent_uuid, node_uuid,
--      memory_id (NULL: removed), content, priority, disclosure, created_at and keywords in the order they came in.
SELECT
    n.uri,
    n.domain,
    n.path,
    p.edge_id,
    e.parent_uuid,
    n.node_uuid,
    n.memory_id,
    n.content,
    coalesce(n.priority, 0) AS priority,
    coalesce(n.disclosure, '') AS disclosure,
    n.created_at,
    coalesce(k.keywords, []) AS keywords
FROM memory_now AS n
JOIN paths AS p ON p.domain = n.domain AND p.path = n.path
JOIN edges AS e ON e.id = p.edge_id
LEFT JOIN (
    SELECT node_uuid, list(keyword ORDER BY rowid) AS keywords FROM glossary_keywords GROUP BY node_uuid
) AS k ON k.node_uuid = n.node_uuid
