-- In:  ranked (display.sql over the simulated signals), sim_prompts, sim_used (query_id, uri, source).
-- Out: the rows of recall_queries.
SELECT
    p.query_id,
    p.text AS query_text,
    p.session_id,
    p.client_type,
    count(r.uri)::INTEGER AS merged_count,
    count(*) FILTER (r.shown)::INTEGER AS shown_count,
    count(u.uri)::INTEGER AS used_count,
    p.duration_ms,
    p.now AS created_at
FROM sim_prompts AS p
LEFT JOIN ranked AS r ON r.query_id = p.query_id
LEFT JOIN sim_used AS u ON u.query_id = r.query_id AND u.uri = r.uri
GROUP BY p.query_no, p.query_id, p.text, p.session_id, p.client_type, p.duration_ms, p.now
ORDER BY p.query_no
