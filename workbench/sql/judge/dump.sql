-- In:  display (every scored candidate), judged_log (query_id, node, label).
-- Out: the columns of `replay --dump`, by query, best first.
SELECT
    d.query_id,
    d.uri,
    d.node_uuid,
    coalesce(d.exact, 0) AS exact,
    coalesce(d.glossary_semantic, 0) AS glossary_semantic,
    d.dense,
    d.lexical,
    d.lexical_damp,
    d.c_exact,
    d.c_glossary_semantic,
    d.c_dense,
    d.c_lexical,
    d.c_view,
    d.c_priority,
    d.c_multi_view,
    d.c_recency,
    d.score,
    d.ranked_position,
    d.shown,
    d.displayed_position,
    d.suppressed_by,
    coalesce(l.label, 'unknown') AS label,
    d.logged_score,
    d.logged_shown
FROM display AS d
LEFT JOIN judged_log AS l ON l.query_id = d.query_id AND l.node = coalesce(d.node_uuid, d.uri)
ORDER BY d.query_id, d.ranked_position
