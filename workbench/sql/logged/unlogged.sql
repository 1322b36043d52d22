-- In:  recall_query_candidates, logged_events, touched (query_id).
-- Out: query_id, uri of the candidates that a rollup names and no event speaks of: their signals are not known.
SELECT c.query_id, c.node_uri AS uri
FROM recall_query_candidates AS c
SEMI JOIN touched AS t ON t.query_id = c.query_id
ANTI JOIN logged_events AS e ON e.query_id = c.query_id AND e.uri = c.node_uri
