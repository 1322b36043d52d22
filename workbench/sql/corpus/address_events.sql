-- In:  memory_history, present_addresses.
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
    SELECT unnest([
        {'key': from_uri, 'node_uuid': node_uuid, 'moment': moment, 'number': number, 'starts': false},
        {'key': to_uri, 'node_uuid': node_uuid, 'moment': moment, 'number': number, 'starts': true}
    ], recursive := true)
    FROM (
        -- A move that names one address only: the event's own address is the other end. One that names none left its
        -- address, unless that address still leads to the node.
        SELECT
            h.* EXCLUDE (from_uri, to_uri),
            CASE
                WHEN h.from_uri IS NOT NULL THEN h.from_uri
                WHEN h.to_uri IS NULL AND p.uri IS NOT NULL THEN NULL
                WHEN h.to_uri IS DISTINCT FROM h.uri THEN h.uri
            END AS from_uri,
            CASE
                WHEN h.to_uri IS NOT NULL THEN h.to_uri
                WHEN h.from_uri IS NULL AND p.uri IS NULL THEN NULL
                WHEN h.from_uri IS DISTINCT FROM h.uri THEN h.uri
            END AS to_uri
        FROM memory_history AS h
        LEFT JOIN present_addresses AS p ON p.uri = h.uri AND p.node_uuid = h.node_uuid
        WHERE h.kind = 'move'
    )
) AS f
LEFT JOIN (
    SELECT uri, any_value(node_uuid ORDER BY moment DESC, number DESC) AS node_uuid
    FROM memory_history
    WHERE node_uuid IS NOT NULL
    GROUP BY uri
) AS k ON k.uri = f.key
LEFT JOIN present_addresses AS p ON p.uri = f.key
WHERE f.key IS NOT NULL
