-- In:  memory_history, present_addresses.
-- Out: node_uuid, moment, number, from_uri, to_uri: the moves, either address NULL where nothing tells it. Of a move that
--      names one address, the event's own is the other; one that names none left its own, unless that still leads to the
--      node. An address below one that moved went along where the same node now stands below the new one.
WITH named AS (
    SELECT
        h.node_uuid,
        h.moment,
        h.number,
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
SELECT * FROM named
UNION ALL
SELECT p.node_uuid, m.moment, m.number, c.uri, p.uri
FROM named AS m
JOIN (
    SELECT DISTINCT uri, node_uuid FROM memory_history WHERE kind IN ('create', 'link', 'update')
) AS c ON starts_with(c.uri, m.from_uri || '/')
JOIN present_addresses AS p ON p.node_uuid = c.node_uuid AND p.uri = m.to_uri || substr(c.uri, length(m.from_uri) + 1)
WHERE c.uri NOT IN (SELECT o.uri FROM present_addresses AS o)
    AND c.uri NOT IN (SELECT g.from_uri FROM named AS g WHERE g.from_uri IS NOT NULL)
