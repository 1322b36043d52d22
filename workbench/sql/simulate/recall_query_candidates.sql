-- In:  ranked (display.sql over the simulated signals), sim_prompts, sim_used (query_id, uri, source); $written: rows
--      written before.
-- Out: the rows of recall_query_candidates.
SELECT
    ($written::BIGINT + row_number() OVER (ORDER BY p.query_no, r.ranked_position))::VARCHAR AS id,
    r.query_id,
    r.uri AS node_uri,
    p.client_type,
    r.score::FLOAT AS final_rank_score,
    r.shown AS selected,
    u.query_id IS NOT NULL AS used_in_answer,
    r.ranked_position::INTEGER AS ranked_position,
    r.displayed_position::INTEGER AS displayed_position,
    p.now AS created_at
FROM ranked AS r
JOIN sim_prompts AS p ON p.query_id = r.query_id
LEFT JOIN sim_used AS u ON u.query_id = r.query_id AND u.uri = r.uri
ORDER BY p.query_no, r.ranked_position
