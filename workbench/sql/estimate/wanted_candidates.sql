-- In:  wanted (number, query_id, node), wb.logged_candidates.
-- Out: the candidates of those pairs with the number of their pair: one row an address.
SELECT c.*, w.number
FROM wb.logged_candidates AS c
JOIN wanted AS w ON w.query_id = c.query_id AND w.node = coalesce(c.node_uuid, c.uri)
