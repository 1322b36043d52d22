-- In:  paths, edges; the bound values $node (a node or NULL) and $address.
-- Out: uri, node_uuid of the addresses of that node, and of those that differ from the address in case alone.
SELECT p.domain || '://' || p.path AS uri, e.child_uuid AS node_uuid
FROM paths AS p
JOIN edges AS e ON e.id = p.edge_id
WHERE e.child_uuid = $node::VARCHAR OR lower(p.domain || '://' || p.path) = lower($address::VARCHAR)
