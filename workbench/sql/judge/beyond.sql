-- In:  prompts, log (judge.sql), hand_labels; $hand: whether answers by hand count.
-- Out: one row a (query_id, node) that production did not show and of which something is known all the same: uri, and
--      label, helpful or unhelpful.
SELECT h.query_id, h.node, h.uri, CASE h.grade WHEN 'yes' THEN 'helpful' ELSE 'unhelpful' END AS label
FROM hand_labels AS h
JOIN prompts AS p ON p.query_id = h.query_id
ANTI JOIN log AS l ON l.query_id = h.query_id AND l.node = h.node
WHERE $hand::BOOLEAN AND NOT h.expired AND h.grade IN ('yes', 'no')
