-- In:  paths, edges; $domain, $path, $node and $parent, the node that $node hangs on.
-- Out: edge_id of the addresses below the path that hung on $parent so far: they belong under $node.
SELECT e.id AS edge_id
FROM edges AS e
JOIN paths AS p ON p.edge_id = e.id
WHERE p.domain = $domain
    AND starts_with(p.path, $path || '/')
    AND e.parent_uuid = $parent
    AND e.child_uuid <> $node
