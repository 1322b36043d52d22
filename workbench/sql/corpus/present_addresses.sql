-- In:  paths, edges, nodes.
-- Out: one row an address of now: uri, domain, path, edge_id, node_uuid, priority, disclosure, created_at of the address,
--      node_created_at.
SELECT
    p.domain || '://' || p.path AS uri,
    p.domain,
    p.path,
    p.edge_id,
    e.child_uuid AS node_uuid,
    e.priority,
    e.disclosure,
    p.created_at,
    n.created_at AS node_created_at
FROM paths AS p
JOIN edges AS e ON e.id = p.edge_id
LEFT JOIN nodes AS n ON n.uuid = e.child_uuid
