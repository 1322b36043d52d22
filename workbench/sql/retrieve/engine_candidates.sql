-- In:  merge (signals of the engine), corpus_nodes (uri, node_uuid), wb.logged_candidates.
-- Out: the engine's candidates in the shape of wb.logged_candidates: what the log says of the same memory of the same
--      prompt stands beside the signals, NULL or false where the log does not name it.
SELECT
    m.query_id,
    m.uri,
    coalesce(l.node_uuid, n.node_uuid) AS node_uuid,
    m.exact,
    m.glossary_semantic,
    m.dense_gist,
    m.dense_question,
    m.lexical_gist,
    m.lexical_question,
    m.gist_weight,
    m.question_weight,
    m.priority,
    'store' AS priority_source,
    m.age_days,
    CASE WHEN m.age_days IS NULL THEN 'none' ELSE 'timestamps' END AS age_source,
    m.query_tokens,
    m.uri_order,
    m.is_boot,
    l.logged_exact,
    l.logged_glossary_semantic,
    l.logged_dense,
    l.logged_lexical,
    l.logged_view,
    l.logged_priority,
    l.logged_multi_view,
    l.logged_recency,
    l.logged_score,
    coalesce(l.logged_shown, false) AS logged_shown,
    l.logged_position,
    l.logged_displayed_position,
    coalesce(l.used, false) AS used,
    l.mark_source
FROM merge AS m
LEFT JOIN corpus_nodes AS n ON n.uri = m.uri
LEFT JOIN wb.logged_candidates AS l ON l.query_id = m.query_id AND l.uri = m.uri
