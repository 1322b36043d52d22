-- In:  paths, edges; $domain, $path.
-- Out: node_uuid of the nearest address above the path; no row where there is none.
SELECT e.child_uuid AS node_uuid
FROM paths AS p
JOIN edges AS e ON e.id = p.edge_id
WHERE p.domain = $domain AND starts_with($path, p.path || '/')
ORDER BY length(p.path) DESC
LIMIT 1
