-- In:  memories; $node.
-- Out: memory_id, content, created_at, deprecated and migrated_to of every text that the node had, oldest first.
SELECT
    id AS memory_id,
    content,
    created_at,
    coalesce(deprecated, false) AS deprecated,
    migrated_to
FROM memories
WHERE node_uuid = $node
ORDER BY created_at, try_cast(id AS HUGEINT), id
