-- In:  the table {queries} (query_id), recall_queries, recall_query_candidates.
-- Out: one row a known query of the table: query_id and uris, the addresses that were shown for it.
SELECT q.query_id, coalesce(list(c.node_uri) FILTER (c.node_uri IS NOT NULL), []) AS uris
FROM recall_queries AS q
LEFT JOIN recall_query_candidates AS c ON c.query_id = q.query_id AND c.selected
WHERE q.query_id IN (SELECT a.query_id FROM {queries} AS a)
GROUP BY q.query_id
