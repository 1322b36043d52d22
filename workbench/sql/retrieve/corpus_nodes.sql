-- In:  corpus_addresses, memory_views, glossary_term_embeddings.
-- Out: uri, node_uuid: the node behind every address that a signal can return; the address table wins.
SELECT uri, arg_min(node_uuid, origin) AS node_uuid
FROM (
    SELECT uri, node_uuid, 1 AS origin FROM corpus_addresses
    UNION ALL
    SELECT uri, node_uuid, 2 FROM memory_views
    UNION ALL
    SELECT uri, node_uuid, 3 FROM glossary_term_embeddings
)
WHERE node_uuid IS NOT NULL
GROUP BY uri
