-- In:  score (score.sql).
-- Out: query_id, node, score: the best score of each memory that may be shown.
SELECT query_id, coalesce(node_uuid, uri) AS node, max(score) AS score
FROM score
WHERE NOT is_boot
GROUP BY ALL
