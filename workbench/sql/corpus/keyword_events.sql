-- In:  memory_history, node_endings, glossary_keywords.
-- Out: key ({node, keyword}), moment, number, starts, implied: the events that gave a node a keyword or took it. implied:
--      the end of the node took it along.
SELECT {'node': h.node_uuid, 'keyword': k.keyword} AS key, h.moment, h.number, true AS starts, false AS implied
FROM memory_history AS h, unnest(h.added) AS k(keyword)
WHERE h.node_uuid IS NOT NULL
UNION
SELECT {'node': h.node_uuid, 'keyword': k.keyword}, h.moment, h.number, false, false
FROM memory_history AS h, unnest(h.removed) AS k(keyword)
WHERE h.node_uuid IS NOT NULL
UNION
SELECT {'node': e.node_uuid, 'keyword': k.keyword}, e.moment, e.number, false, true
FROM node_endings AS e
JOIN (
    SELECT node_uuid, unnest(added) AS keyword FROM memory_history
    UNION
    SELECT node_uuid, keyword FROM glossary_keywords
) AS k ON k.node_uuid = e.node_uuid
WHERE e.revived_at IS NOT NULL OR NOT e.still_active
