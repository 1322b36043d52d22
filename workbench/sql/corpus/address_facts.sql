-- In:  address_events, address_signs, present_addresses, rebuilds, nodes, memories.
-- Out: the facts that spans.sql takes, by address: the events; for an address of now whose last event does not explain
--      it, when it came to lead to its node; for one that is gone without an event, when it was last there. Where that
--      has to be inferred, the fact is assumed; a date that a rebuild reset is taken to be that of the node. earliest: since when an address may have been there whose beginning
--      nothing tells.
SELECT
    e.*,
    false AS implied,
    false AS assumed,
    coalesce(
        CASE WHEN p.created_at < e.moment THEN p.created_at END,
        CASE WHEN n.since < e.moment THEN n.since END,
        '-infinity'::TIMESTAMPTZ
    ) AS earliest
FROM address_events AS e
LEFT JOIN present_addresses AS p ON p.uri = e.key
LEFT JOIN (
    SELECT node_uuid, min(created_at) AS since
    FROM (SELECT uuid AS node_uuid, created_at FROM nodes UNION ALL SELECT node_uuid, created_at FROM memories)
    GROUP BY node_uuid
) AS n ON n.node_uuid = e.node_uuid
UNION ALL
SELECT
    p.uri,
    p.node_uuid,
    CASE
        WHEN l.key IS NULL AND p.reset THEN p.node_created_at
        WHEN l.key IS NULL THEN coalesce(p.created_at, p.node_created_at, '-infinity'::TIMESTAMPTZ)
        WHEN p.created_at > l.moment THEN p.created_at
        ELSE coalesce((SELECT min(s.moment) FROM address_signs AS s WHERE s.key = p.uri AND s.moment > l.moment), l.moment)
    END,
    170141183460469231731687303715884105727,
    true,
    false,
    CASE WHEN l.key IS NULL THEN p.created_at IS NULL OR p.reset ELSE coalesce(p.created_at <= l.moment, true) END,
    '-infinity'::TIMESTAMPTZ
FROM (
    SELECT
        a.*,
        coalesce(a.created_at > a.node_created_at, false) AND EXISTS (
            SELECT 1 FROM rebuilds AS r WHERE r.kind = 'address' AND a.created_at BETWEEN r.first AND r.last
        ) AS reset
    FROM present_addresses AS a
) AS p
LEFT JOIN (
    SELECT
        key,
        max(moment) AS moment,
        arg_max({'node': node_uuid, 'starts': starts}, (moment, number, starts, node_uuid)) AS said
    FROM address_events
    GROUP BY key
) AS l ON l.key = p.uri
WHERE l.key IS NULL OR NOT l.said.starts OR l.said.node IS DISTINCT FROM p.node_uuid
UNION ALL
SELECT
    l.key,
    l.said.node,
    greatest(l.moment, (SELECT max(s.moment) FROM address_signs AS s WHERE s.key = l.key) + INTERVAL 1 MICROSECOND),
    170141183460469231731687303715884105727,
    false,
    false,
    true,
    '-infinity'::TIMESTAMPTZ
FROM (
    SELECT
        key,
        max(moment) AS moment,
        arg_max({'node': node_uuid, 'starts': starts}, (moment, number, starts, node_uuid)) AS said
    FROM address_events
    GROUP BY key
) AS l
WHERE l.said.starts AND l.key NOT IN (SELECT p.uri FROM present_addresses AS p)
