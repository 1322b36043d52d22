-- In:  display (the candidates of one query, scored and ranked), memory_now, boot_uris; the bound value
--      $min_display_score.
-- Out: the candidates with the merged signals, the raw ones by view type, the terms, how far the score is
--      above the threshold, and whether the address is a further one of a start-up memory.
SELECT
    d.uri, d.node_uuid, d.ranked_position, d.score, d.shown, d.displayed_position, d.suppressed_by,
    round(d.score - $min_display_score, 6) AS above_threshold,
    d.exact, d.glossary_semantic, d.dense, d.lexical, d.lexical_damp, d.priority, d.priority_source, d.age_days,
    d.age_source, d.c_exact, d.c_glossary_semantic, d.c_dense, d.c_lexical, d.c_view, d.c_priority, d.c_multi_view,
    d.c_recency, d.logged_score, d.logged_shown, d.logged_position, d.used,
    d.dense_gist, d.dense_question, d.lexical_gist, d.lexical_question, d.gist_weight, d.question_weight,
    d.has_gist, d.has_question, d.is_boot,
    NOT d.is_boot AND coalesce(d.node_uuid IN (
        SELECT n.node_uuid FROM memory_now AS n JOIN boot_uris AS b ON b.uri = n.uri WHERE n.node_uuid IS NOT NULL
    ), false) AS boot_alias
FROM display AS d
