-- In:  judged_opens (open_id, address, reason, counted), turns, address_nodes, wb.agent_opens, wb.logged_queries,
--      wb.logged_candidates.
-- Out: one row an open: open_id, source, client, session, uri, address (as the server looks it up), reason, counted,
--      at, found, given_query_id, turn_at and query_id of the turn that it belongs to: the latest of its session. In a
--      session of which no turn is known, the query that it names. node is the one that the address had for that
--      query; of an address in another case that of the one memory that it is meant for.
SELECT
    o.open_id,
    o.source,
    coalesce(o.client_type, '') AS client,
    o.session,
    o.uri,
    o.address,
    o.reason,
    o.counted,
    o.opened_at AS at,
    o.found,
    o.given_query_id,
    o.turn_at,
    o.query_id,
    coalesce(c.node_uuid, a.node_uuid, n.node_uuid, o.address) AS node
FROM (
    SELECT
        g.* EXCLUDE (session_id),
        coalesce(g.session_id, g.given_session_id) AS session,
        j.address,
        j.reason,
        j.counted,
        t.at AS turn_at,
        CASE WHEN t.at IS NULL THEN q.query_id ELSE t.query_id END AS query_id
    FROM wb.agent_opens AS g
    JOIN judged_opens AS j ON j.open_id = g.open_id
    ASOF LEFT JOIN turns AS t
        ON t.source = g.source AND t.session = coalesce(g.session_id, g.given_session_id) AND t.at <= g.opened_at
    LEFT JOIN wb.logged_queries AS q ON q.query_id = g.given_query_id
) AS o
LEFT JOIN address_nodes AS a ON a.uri = o.address
LEFT JOIN (
    SELECT lower(uri) AS address, min(node_uuid) AS node_uuid
    FROM address_nodes
    GROUP BY 1
    HAVING count(DISTINCT node_uuid) = 1
) AS n ON n.address = lower(o.address)
LEFT JOIN wb.logged_candidates AS c ON c.query_id = o.query_id AND c.uri = o.address
