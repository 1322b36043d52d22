-- In:  prompts (query_id), used_log (judge.sql over the whole log), alike_texts (asked, used: near-identical texts of prompts),
--      recall_queries.
-- Out: one row a (query_id, node): the memory was used in another prompt, twin, whose text is near-identical; uri is its
--      address there. Of several twins the last one, by text and identifier.
SELECT p.query_id, u.node, max_by(u.uri, (a.used, u.query_id)) AS uri, max_by(u.query_id, (a.used, u.query_id)) AS twin
FROM prompts AS p
JOIN recall_queries AS r ON r.query_id = p.query_id
JOIN alike_texts AS a ON a.asked = r.query_text
JOIN recall_queries AS t ON t.query_text = a.used
JOIN used_log AS u ON u.query_id = t.query_id AND u.label = 'used' AND u.query_id <> p.query_id
GROUP BY p.query_id, u.node
