-- In:  pairs (pairs.sql), recall_queries, memory_now; $side, $seed, $most.
-- Out: query_id, prompt, uri, content, disclosure of the open pairs of a side, in an order that the seed alone decides.
SELECT p.query_id, q.query_text, p.uri, m.content, m.disclosure
FROM pairs AS p
JOIN recall_queries AS q ON q.query_id = p.query_id
LEFT JOIN memory_now AS m ON m.uri = p.uri
WHERE p.side = $side AND p.helpful IS NULL AND NOT p.answered
ORDER BY md5(concat_ws(' ', p.query_id, p.node, $seed)), p.query_id, p.node
LIMIT $most
