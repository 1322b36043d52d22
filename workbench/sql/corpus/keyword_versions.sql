-- In:  spans (spans.sql over keywords).
-- Out: one row a span: node_uuid, keyword, valid_from, valid_to (exclusive; NULL: still), certainty. A node has a keyword
--      at most once at a time.
SELECT
    key.node AS node_uuid,
    key.keyword AS keyword,
    valid_from,
    valid_to,
    CASE WHEN from_assumed OR to_assumed THEN 'assumed' ELSE 'known' END AS certainty
FROM spans
