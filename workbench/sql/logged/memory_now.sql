-- In:  paths, edges, memories.
-- Out: uri, domain, path, node_uuid, priority and created_at of the current memory of every address: the newest row that
--      is not deprecated, ties by numeric id.
SELECT
    p.domain || '://' || p.path AS uri,
    p.domain,
    p.path,
    e.child_uuid AS node_uuid,
    e.priority,
    m.memory_id,
    m.content,
    e.disclosure,
    m.created_at
FROM paths AS p
JOIN edges AS e ON e.id = p.edge_id
LEFT JOIN (
    SELECT
        node_uuid,
        arg_max(id, (created_at, try_cast(id AS HUGEINT), id)) AS memory_id,
        arg_max(content, (created_at, try_cast(id AS HUGEINT), id)) AS content,
        max(created_at) AS created_at
    FROM memories
    WHERE NOT coalesce(deprecated, false)
    GROUP BY node_uuid
) AS m ON m.node_uuid = e.child_uuid
