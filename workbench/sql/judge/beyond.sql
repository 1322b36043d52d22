-- In:  prompts, log (judge.sql), hand_labels, opened (query_id, node, uri: opens that the server does not count, empty
--      where they are no evidence); $hand: whether answers by hand count.
-- Out: one row a (query_id, node) that production did not show and of which something is known all the same: uri, and
--      label, helpful or unhelpful. An answer by hand is stronger than an open without identifiers.
SELECT k.query_id, k.node, k.uri, k.label
FROM (
    SELECT
        coalesce(h.query_id, o.query_id) AS query_id,
        coalesce(h.node, o.node) AS node,
        coalesce(h.uri, o.uri) AS uri,
        CASE WHEN h.grade = 'no' THEN 'unhelpful' ELSE 'helpful' END AS label
    FROM (SELECT * FROM hand_labels WHERE $hand::BOOLEAN AND NOT expired AND grade IN ('yes', 'no')) AS h
    FULL JOIN opened AS o ON o.query_id = h.query_id AND o.node = h.node
) AS k
JOIN prompts AS p ON p.query_id = k.query_id
ANTI JOIN log AS l ON l.query_id = k.query_id AND l.node = k.node
