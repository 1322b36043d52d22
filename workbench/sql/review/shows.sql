-- In:  judged_log, addresses (node, uris).
-- Out: one row a node that was shown and judged: its addresses (of now, else the logged one), in how many prompts it was
--      shown and used.
SELECT l.node, coalesce(a.uris, [l.uri]) AS uris, l.shown, l.used
FROM (
    SELECT node, min(uri) AS uri, count(*)::BIGINT AS shown, count(*) FILTER (label = 'used')::BIGINT AS used
    FROM judged_log
    WHERE label IN ('used', 'shown_unused')
    GROUP BY node
) AS l
LEFT JOIN addresses AS a ON a.node = l.node
ORDER BY l.node
