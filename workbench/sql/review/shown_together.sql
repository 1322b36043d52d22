-- In:  judged_prompts, wb.logged_candidates.
-- Out: one row a pair of addresses that were shown together: node and other (equal: two addresses of one memory), uri,
--      other_uri, and in how many prompts.
SELECT a.node, b.node AS other, a.uri, b.uri AS other_uri, count(*)::BIGINT AS prompts
FROM (SELECT query_id, uri, coalesce(node_uuid, uri) AS node FROM wb.logged_candidates WHERE logged_shown) AS a
JOIN (SELECT query_id, uri, coalesce(node_uuid, uri) AS node FROM wb.logged_candidates WHERE logged_shown) AS b
    ON b.query_id = a.query_id AND a.uri < b.uri
SEMI JOIN judged_prompts AS p ON p.query_id = a.query_id
GROUP BY ALL
ORDER BY prompts DESC, a.uri, b.uri
