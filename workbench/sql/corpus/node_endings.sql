-- In:  memory_history, memories.
-- Out: node_uuid, moment, number, revived_at, still_active: the deletions that ended a node, until an event or a new
--      memory row speaks of it again (NULL: nothing does). still_active: the store holds a current memory of the node.
--      A deletion that lists the nodes it ended ends no other; one that lists none ends its own, unless the node still
--      has a current memory: then only an address went.
SELECT
    d.node_uuid,
    d.moment,
    d.number,
    least(
        (
            SELECT min(h.moment)
            FROM memory_history AS h
            WHERE h.node_uuid = d.node_uuid AND h.moment > d.moment AND h.kind NOT IN ('delete', 'unlink')
        ),
        (SELECT min(m.created_at) FROM memories AS m WHERE m.node_uuid = d.node_uuid AND m.created_at > d.moment)
    ) AS revived_at,
    d.still_active
FROM (
    SELECT
        e.*,
        e.node_uuid IN (SELECT m.node_uuid FROM memories AS m WHERE NOT coalesce(m.deprecated, false)) AS still_active
    FROM (
        SELECT DISTINCT n.node_uuid, h.moment, h.number, h.gone_nodes IS NOT NULL AS listed
        FROM memory_history AS h, unnest(coalesce(h.gone_nodes, [h.node_uuid])) AS n(node_uuid)
        WHERE h.kind = 'delete' AND n.node_uuid IS NOT NULL
    ) AS e
) AS d
WHERE d.listed OR NOT d.still_active
