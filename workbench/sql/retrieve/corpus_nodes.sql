-- In:  corpus_addresses, corpus_views, corpus_terms.
-- Out: uri, node_uuid: the node behind every address that a signal can return; the address table wins, then the later.
SELECT uri, arg_min(node_uuid, (origin, -epoch_us(CASE WHEN isfinite(valid_from) THEN valid_from ELSE '0001-01-01' END)))
    AS node_uuid
FROM (
    SELECT uri, node_uuid, valid_from, 1 AS origin FROM corpus_addresses
    UNION ALL
    SELECT uri, node_uuid, valid_from, 2 FROM corpus_views
    UNION ALL
    SELECT uri, node_uuid, valid_from, 3 FROM corpus_terms
)
WHERE node_uuid IS NOT NULL
GROUP BY uri
