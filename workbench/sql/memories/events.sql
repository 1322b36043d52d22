-- In:  memory_events; $node.
-- Out: at, event_type, uri and source of everything that happened to the node, oldest first.
SELECT
    created_at AS at,
    event_type,
    node_uri AS uri,
    source
FROM memory_events
WHERE node_uuid = $node
ORDER BY created_at, try_cast(id AS HUGEINT), id
