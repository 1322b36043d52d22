-- In:  judged_log, addresses (node, uris).
-- Out: one row a node that was shown and judged: its addresses (of now, else the logged one), in how many prompts it was
--      shown and used.
SELECT
    l.node,
    coalesce(any_value(a.uris), [min(l.uri)]) AS uris,
    count(*)::BIGINT AS shown,
    count(*) FILTER (l.label = 'used')::BIGINT AS used
FROM judged_log AS l
LEFT JOIN addresses AS a ON a.node = l.node
WHERE l.label IN ('used', 'shown_unused')
GROUP BY l.node
ORDER BY l.node
