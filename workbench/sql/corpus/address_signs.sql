-- In:  memory_history, memory_views, glossary_term_embeddings, recall_query_candidates, present_addresses.
-- Out: key (an address), moment: times at which the address was there, for where no event says when it came or went.
SELECT uri AS key, moment FROM memory_history WHERE kind IN ('update', 'glossary')
UNION ALL
SELECT uri, created_at FROM memory_views
UNION ALL
SELECT uri, updated_at FROM memory_views
UNION ALL
SELECT uri, updated_at FROM glossary_term_embeddings
UNION ALL
SELECT node_uri, unnest([min(created_at), max(created_at)])
FROM recall_query_candidates
WHERE node_uri NOT IN (SELECT p.uri FROM present_addresses AS p)
GROUP BY node_uri
