-- In:  ranked (display.sql over the simulated signals), sim_memories, sim_used (query_id, uri, source).
-- Out: the rows of wb.logged_candidates that an import would derive.
SELECT
    r.query_id, r.uri, m.node_uuid, r.exact, r.glossary_semantic, r.dense_gist, r.dense_question, r.lexical_gist,
    r.lexical_question, r.gist_weight, r.question_weight, r.priority, r.age_days, r.query_tokens, r.uri_order, r.is_boot,
    'store' AS priority_source,
    'timestamps' AS age_source,
    round(r.c_exact, 6) AS logged_exact,
    round(r.c_glossary_semantic, 6) AS logged_glossary_semantic,
    round(r.c_dense, 6) AS logged_dense,
    round(r.c_lexical, 6) AS logged_lexical,
    round(r.c_view, 6) AS logged_view,
    round(r.c_priority, 6) AS logged_priority,
    round(r.c_multi_view, 6) AS logged_multi_view,
    round(r.c_recency, 6) AS logged_recency,
    r.score::FLOAT AS logged_score,
    r.shown AS logged_shown,
    r.ranked_position AS logged_position,
    r.displayed_position AS logged_displayed_position,
    u.query_id IS NOT NULL AS used,
    u.source AS mark_source
FROM ranked AS r
JOIN sim_memories AS m ON m.uri = r.uri
LEFT JOIN sim_used AS u ON u.query_id = r.query_id AND u.uri = r.uri
ORDER BY r.query_id, r.priority, r.uri_order
