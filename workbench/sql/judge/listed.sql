-- In:  hand_labels, recall_queries.
-- Out: the answers that stand with their prompts, newest first.
SELECT
    h.query_id,
    q.query_text AS prompt,
    h.uri,
    h.grade,
    nullif(h.labelled_by, '') AS labelled_by,
    h.labelled_at::VARCHAR AS labelled_at,
    h.expired
FROM hand_labels AS h
LEFT JOIN recall_queries AS q ON q.query_id = h.query_id
ORDER BY h.labelled_at DESC, h.query_id, h.uri
