-- In:  memory_now, glossary_keywords, paths.
-- Out: one row an address with an active memory, in the order of the source: what its views and keywords are rebuilt
--      from. keywords stand in the server's order; cue_terms are the first eight without those that differ in case
--      alone; holds_keywords marks the one address of a node that its keywords stand under: the one of the best priority,
--      then the first one.
SELECT
    n.uri,
    n.domain,
    n.path,
    n.node_uuid,
    n.memory_id,
    coalesce(n.priority, 0) AS priority,
    coalesce(n.disclosure, '') AS disclosure,
    coalesce(n.content, '') AS content,
    n.created_at AS updated_at,
    coalesce(k.keywords, []) AS keywords,
    list_filter(
        coalesce(k.keywords, []),
        lambda keyword, i: list_position(list_transform(k.keywords, lambda x: lower(x)), lower(keyword)) = i
    )[:8] AS cue_terms,
    row_number() OVER (PARTITION BY n.node_uuid ORDER BY coalesce(n.priority, 0), p.place) = 1 AS holds_keywords
FROM memory_now AS n
JOIN (SELECT domain, path, rowid AS place FROM paths) AS p ON p.domain = n.domain AND p.path = n.path
LEFT JOIN (
    SELECT
        node_uuid,
        list(keyword ORDER BY server_order(keyword)) AS keywords
    FROM glossary_keywords
    GROUP BY node_uuid
) AS k ON k.node_uuid = n.node_uuid
WHERE n.memory_id IS NOT NULL
ORDER BY p.place
