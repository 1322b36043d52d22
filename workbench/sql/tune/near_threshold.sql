-- In:  now_shown (query_id, uri, node_uuid, score: what the proposal shows), wb.logged_candidates, hand_labels;
--      $threshold of the proposal, $most.
-- Out: the newly shown (query_id, node) without an answer that lie nearest to the threshold: query_id, uri, score, above.
SELECT s.query_id, arg_max(s.uri, s.score) AS uri, max(s.score) AS score, max(s.score) - $threshold::DOUBLE AS above
FROM now_shown AS s
ANTI JOIN (
    SELECT query_id, coalesce(node_uuid, uri) AS node FROM wb.logged_candidates WHERE logged_shown
) AS l ON l.query_id = s.query_id AND l.node = coalesce(s.node_uuid, s.uri)
ANTI JOIN hand_labels AS h ON h.query_id = s.query_id AND h.node = coalesce(s.node_uuid, s.uri) AND NOT h.expired
GROUP BY s.query_id, coalesce(s.node_uuid, s.uri)
ORDER BY above, s.query_id, uri
LIMIT $most::INTEGER
