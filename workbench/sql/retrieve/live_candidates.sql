-- In:  display (scored candidates with what is shown of them); cues (query_id, uri, cues, matched_on).
-- Out: every ranked candidate of each prompt, best first, as the server tells and logs it: what it is shown as, why not,
--      and the terms of its score, rounded as there.
SELECT
    d.query_id,
    d.uri,
    d.node_uuid,
    d.score,
    d.shown,
    d.ranked_position,
    d.displayed_position,
    d.suppressed_by,
    c.cues,
    c.matched_on,
    round(d.c_exact, 6) AS exact,
    round(d.c_glossary_semantic, 6) AS glossary_semantic,
    round(d.c_dense, 6) AS semantic,
    round(d.c_lexical, 6) AS lexical,
    round(d.lexical_damp, 6) AS lexical_damp,
    round(d.c_view, 6) AS view,
    round(d.c_priority, 6) AS priority,
    round(d.c_multi_view, 6) AS multi_view,
    CASE WHEN $recency_enabled::BOOLEAN THEN round(d.c_recency, 6) END AS recency
FROM display AS d
JOIN cues AS c ON c.query_id = d.query_id AND c.uri = d.uri
ORDER BY d.query_id, d.ranked_position
