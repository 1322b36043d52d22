-- In:  logged_events, recall_query_candidates.
-- Out: one row a (query_id, uri): the logged terms, score, positions and marks. The rollup row wins over the events
--      where both speak of score, shown and used.
SELECT
    e.* EXCLUDE (logged_score, logged_shown, used, logged_position, logged_displayed_position),
    coalesce(c.final_rank_score::DOUBLE, e.logged_score) AS logged_score,
    coalesce(c.selected, e.logged_shown) AS logged_shown,
    coalesce(c.ranked_position, e.logged_position) AS logged_position,
    coalesce(c.displayed_position, e.logged_displayed_position) AS logged_displayed_position,
    coalesce(c.used_in_answer, e.used) AS used
FROM (
    SELECT
        query_id,
        uri,
        any_value(logged_exact) AS logged_exact,
        any_value(logged_glossary_semantic) AS logged_glossary_semantic,
        any_value(logged_dense) AS logged_dense,
        any_value(logged_lexical) AS logged_lexical,
        any_value(logged_view) AS logged_view,
        any_value(logged_priority) AS logged_priority,
        any_value(logged_multi_view) AS logged_multi_view,
        any_value(logged_recency) AS logged_recency,
        max(logged_score) AS logged_score,
        bool_or(logged_shown) AS logged_shown,
        min(logged_position) AS logged_position,
        min(logged_displayed_position) AS logged_displayed_position,
        bool_or(used) AS used,
        max(mark_source) AS mark_source
    FROM logged_events
    GROUP BY query_id, uri
) AS e
LEFT JOIN recall_query_candidates AS c ON c.query_id = e.query_id AND c.node_uri = e.uri
