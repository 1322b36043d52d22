-- In:  memory_now, wb.logged_candidates, wb.logged_queries.
-- Out: uri, node_uuid: the node of every address: that of now, of an address that is gone the latest that was logged.
SELECT uri, any_value(node_uuid) AS node_uuid
FROM memory_now
GROUP BY uri
UNION ALL
SELECT c.uri, arg_max(c.node_uuid, coalesce(q.now, '-infinity'::TIMESTAMPTZ)) AS node_uuid
FROM wb.logged_candidates AS c
JOIN wb.logged_queries AS q ON q.query_id = c.query_id
WHERE c.uri NOT IN (SELECT m.uri FROM memory_now AS m)
GROUP BY c.uri
