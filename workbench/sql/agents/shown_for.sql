-- In:  recall_queries, recall_query_candidates; the bound value $query_id.
-- Out: what was shown and what was used for that query; no row where it is not known.
SELECT
    coalesce(list(c.node_uri) FILTER (c.selected), []) AS shown,
    coalesce(list(c.node_uri) FILTER (c.used_in_answer), []) AS used
FROM recall_queries AS q
LEFT JOIN recall_query_candidates AS c ON c.query_id = q.query_id
WHERE q.query_id = $query_id::VARCHAR
GROUP BY q.query_id
