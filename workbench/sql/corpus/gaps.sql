-- In:  newest, rebuilds, address_events, present_addresses, address_versions, content_versions, memory_events, memories,
--      paths, memory_views, recall_query_candidates.
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
    FROM (SELECT key, arg_max(starts, (moment, number, starts)) AS starts FROM address_events GROUP BY key)
    WHERE starts AND key NOT IN (SELECT p.uri FROM present_addresses AS p)
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
