-- In:  memory_history, moves, present_addresses.
-- Out: key (an address), node_uuid, moment, number, starts: the events that made an address lead to a node or to none.
--      An event that names no node is about the one that the latest other event of the address names, else that of now.
SELECT DISTINCT
    f.key,
    coalesce(f.node_uuid, k.node_uuid, p.node_uuid) AS node_uuid,
    f.moment,
    f.number,
    f.starts
FROM (
    SELECT uri AS key, node_uuid, moment, number, true AS starts FROM memory_history WHERE kind IN ('create', 'link')
    UNION ALL
    SELECT uri, node_uuid, moment, number, false FROM memory_history WHERE kind IN ('delete', 'unlink')
    UNION ALL
    SELECT u.uri, CASE WHEN u.uri = h.uri THEN h.node_uuid END, h.moment, h.number, false
    FROM memory_history AS h, unnest(h.gone_uris) AS u(uri)
    WHERE h.kind IN ('delete', 'unlink', 'move') AND u.uri IS DISTINCT FROM h.to_uri
    UNION ALL
    SELECT from_uri, node_uuid, moment, number, false FROM moves
    UNION ALL
    SELECT to_uri, node_uuid, moment, number, true FROM moves
) AS f
LEFT JOIN (
    SELECT uri, any_value(node_uuid ORDER BY moment DESC, number DESC) AS node_uuid
    FROM memory_history
    WHERE node_uuid IS NOT NULL
    GROUP BY uri
) AS k ON k.uri = f.key
LEFT JOIN present_addresses AS p ON p.uri = f.key
WHERE f.key IS NOT NULL
