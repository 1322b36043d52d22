-- In:  attributed (attributed.sql), to_derive (query_id).
-- Out: rows of recall_query_candidates for queries that no source holds; memories that were ranked, or all of a query
--      whose events carry no score.
SELECT
    a.query_id,
    a.node_uri,
    any_value(a.client_type) AS client_type,
    max(a.final_rank_score) AS final_rank_score,
    bool_or(a.selected) AS selected,
    bool_or(a.used_in_answer) AS used_in_answer,
    min(a.ranked_position) AS ranked_position,
    min(a.displayed_position) AS displayed_position,
    min(a.created_at) AS created_at
FROM attributed AS a
JOIN (
    SELECT e.query_id, count(e.final_rank_score) = 0 AS unscored
    FROM attributed AS e
    SEMI JOIN to_derive AS d ON d.query_id = e.query_id
    GROUP BY e.query_id
) AS q ON q.query_id = a.query_id
GROUP BY a.query_id, a.node_uri
HAVING max(a.final_rank_score) IS NOT NULL OR bool_or(a.selected) OR bool_or(q.unscored)
ORDER BY a.query_id, min(a.ranked_position), a.node_uri
