-- In:  memory_history, address_events, present_addresses.
-- Out: uri, moment, number, said and before ({priority, disclosure}), own, shared, apart: what events tell of the priority
--      and the disclosure of an address from then on and, for an edit, before. own: the event names the address; shared: it
--      names one that lay on the same edge then as now, and so has the same two; apart: it names another address of the node
--      and changes nothing, or one that lay on another edge then as now.
SELECT
    s.uri,
    h.moment,
    h.number,
    CASE WHEN h.has_after THEN {'priority': h.after_priority, 'disclosure': h.after_disclosure} END AS said,
    CASE WHEN h.has_before THEN {'priority': h.before_priority, 'disclosure': h.before_disclosure} END AS before,
    s.uri = coalesce(h.to_uri, h.uri) AS own,
    coalesce(a.edge_id = b.edge_id, false) AS shared,
    before IS NULL OR said IS NULL OR said = before OR coalesce(a.edge_id <> b.edge_id, false) AS apart
FROM memory_history AS h
JOIN (
    SELECT key AS uri, node_uuid FROM address_events
    UNION
    SELECT uri, node_uuid FROM present_addresses
    UNION
    SELECT uri, node_uuid FROM memory_history
) AS s ON s.node_uuid = h.node_uuid
LEFT JOIN present_addresses AS a ON a.uri = h.uri AND a.node_uuid = h.node_uuid AND a.created_at <= h.moment
LEFT JOIN present_addresses AS b ON b.uri = s.uri AND b.node_uuid = h.node_uuid AND b.created_at <= h.moment
WHERE h.has_after OR h.has_before
