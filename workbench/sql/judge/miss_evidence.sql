-- In:  placed_opens, address_nodes, boot_uris, wb.agent_searches, wb.logged_candidates.
-- Out: one row a (query_id, node) that an agent opened in the turn of that query in a way that the server does not count:
--      uri (the first one), grade (opened_after_search where a search of the same turn had returned the memory, else
--      opened_unlinked), at (the first time), was_shown: recall showed the node for this query. Start-up memories and
--      opens that returned nothing are none. write_misses of workbench/judge makes this as a temporary table.
SELECT
    o.query_id,
    o.node,
    arg_min(o.address, (coalesce(o.at, 'infinity'::TIMESTAMPTZ), o.open_id)) AS uri,
    CASE WHEN bool_or(s.session IS NOT NULL) THEN 'opened_after_search' ELSE 'opened_unlinked' END AS grade,
    min(o.at) AS at,
    bool_or(c.node IS NOT NULL) AS was_shown
FROM placed_opens AS o
LEFT JOIN (
    SELECT f.source, f.session_id AS session, f.searched_at, coalesce(a.node_uuid, f.uri) AS node
    FROM (SELECT source, session_id, searched_at, unnest(uris) AS uri FROM wb.agent_searches) AS f
    LEFT JOIN address_nodes AS a ON a.uri = f.uri
) AS s
    ON s.source = o.source AND s.session = o.session AND s.node = o.node
    AND s.searched_at <= o.at AND s.searched_at >= o.turn_at
LEFT JOIN (
    SELECT DISTINCT query_id, coalesce(node_uuid, uri) AS node FROM wb.logged_candidates WHERE logged_shown
) AS c ON c.query_id = o.query_id AND c.node = o.node
WHERE o.query_id IS NOT NULL
    AND NOT o.counted
    AND o.found IS DISTINCT FROM false
    AND o.address NOT IN (SELECT b.uri FROM boot_uris AS b)
GROUP BY o.query_id, o.node
