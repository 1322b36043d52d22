-- In:  paths, edges, nodes, memory_now, glossary_keywords; the bound value $uri.
-- Out: the memory at that very address, or no row: with its keywords, other addresses and those of its children.
SELECT
    m.uri,
    m.domain,
    m.path,
    m.node_uuid,
    m.priority,
    m.disclosure,
    m.content,
    strftime(m.created_at, '%Y-%m-%dT%H:%M:%S.%g') || 'Z' AS created_at,
    (
        SELECT coalesce(list(k.keyword ORDER BY server_order(k.keyword)), [])
        FROM glossary_keywords AS k
        WHERE k.node_uuid = m.node_uuid
    ) AS keywords,
    (
        SELECT coalesce(list(a.uri ORDER BY server_order(a.uri)), [])
        FROM memory_now AS a
        WHERE a.node_uuid = m.node_uuid AND a.uri <> m.uri
    ) AS aliases,
    (
        SELECT coalesce(list(c.uri ORDER BY c.priority, server_order(c.uri)), [])
        FROM memory_now AS c
        WHERE c.domain = m.domain AND starts_with(c.path, m.path || '/') AND NOT contains(c.path[len(m.path) + 2:], '/')
            AND c.memory_id IS NOT NULL
    ) AS children
FROM memory_now AS m
WHERE m.uri = $uri::VARCHAR AND m.memory_id IS NOT NULL
