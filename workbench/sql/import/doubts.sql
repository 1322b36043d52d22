-- In:  the tables of the store.
-- Out: sentence: one row a doubt about the data as a whole.
SELECT n || sentence AS sentence
FROM (
    SELECT count(*) AS n, ' nodes have two memories that are both current, the first ' || min(node_uuid)
        || '; the newest counts, of equally new ones that with the greater id.' AS sentence
    FROM (
        SELECT node_uuid FROM memories WHERE NOT coalesce(deprecated, false) GROUP BY node_uuid HAVING count(*) > 1
    )
    UNION ALL
    SELECT count(*), ' paths name an edge that the store does not hold, the first ' || min(domain || '://' || path) || '.'
    FROM paths
    WHERE edge_id NOT IN (SELECT id FROM edges)
    UNION ALL
    SELECT count(*), ' logged addresses are gone: their memories were deleted, or have moved and count on at their new ones.'
    FROM (SELECT DISTINCT node_uri FROM recall_query_candidates)
    WHERE node_uri NOT IN (SELECT domain || '://' || path FROM paths)
    UNION ALL
    SELECT count(*), ' view vectors come from another embedding model than most; they are never compared with them.'
    FROM memory_views
    WHERE embedding_vector IS NOT NULL
        AND embedding_model <> (SELECT mode(embedding_model) FROM memory_views WHERE embedding_vector IS NOT NULL)
)
WHERE n > 0
