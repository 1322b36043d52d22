-- In:  newest, rebuilds, memory_history, memory_events, address_versions, content_versions, recall_query_candidates, memories, paths,
--      memory_views, edges.
-- Out: gap, count: what history cannot say. Only what there is.
SELECT gap, count
FROM (
    SELECT 1 AS place, 'memory events without a usable date' AS gap, count(*) AS count
    FROM memory_events
    WHERE created_at IS NULL
    UNION ALL
    SELECT 2, 'memories without a date', count(*) FROM memories WHERE created_at IS NULL
    UNION ALL
    SELECT 3, 'addresses without a date', count(*) FROM paths WHERE created_at IS NULL
    UNION ALL
    SELECT 4, 'memories dated in the future', count(*) FROM memories, newest AS n WHERE created_at > n.newest
    UNION ALL
    SELECT 5, 'views dated in the future', count(*) FROM memory_views, newest AS n WHERE updated_at > n.newest
    UNION ALL
    SELECT 9, kind || ' dates that a rebuild reset', sum(rows)::BIGINT FROM rebuilds GROUP BY kind
    UNION ALL
    SELECT 6, 'addresses that went without an event', count(*)
    FROM (
        SELECT uri FROM memory_history WHERE kind IN ('create', 'link')
        UNION
        SELECT to_uri FROM memory_history WHERE kind = 'move' AND to_uri IS NOT NULL
    ) AS told
    WHERE uri NOT IN (SELECT p.domain || '://' || p.path FROM paths AS p)
        AND uri NOT IN (SELECT h.uri FROM memory_history AS h WHERE h.uri IS NOT NULL AND h.kind IN ('delete', 'unlink'))
        AND uri NOT IN (SELECT unnest(h.gone_uris) FROM memory_history AS h)
        AND uri NOT IN (SELECT h.from_uri FROM memory_history AS h WHERE h.from_uri IS NOT NULL)
        AND uri NOT IN (SELECT h.uri FROM memory_history AS h WHERE h.uri IS NOT NULL AND h.kind = 'move')
    UNION ALL
    SELECT 7, 'logged addresses that nothing tells of', count(DISTINCT c.node_uri)
    FROM recall_query_candidates AS c
    WHERE c.node_uri NOT IN (SELECT a.uri FROM address_versions AS a)
    UNION ALL
    SELECT 8, 'nodes whose text is gone', count(DISTINCT a.node_uuid)
    FROM address_versions AS a
    WHERE a.node_uuid NOT IN (SELECT v.node_uuid FROM content_versions AS v WHERE v.content IS NOT NULL)
)
WHERE count > 0
ORDER BY place, gap
