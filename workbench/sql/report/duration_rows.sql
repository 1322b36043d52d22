-- In:  prompts, recall_queries.
-- Out: known durations in milliseconds, and the number of their session.
SELECT r.duration_ms::DOUBLE AS duration_ms, dense_rank() OVER (ORDER BY p.session_key) - 1 AS session
FROM prompts AS p
JOIN recall_queries AS r ON r.query_id = p.query_id
WHERE r.duration_ms IS NOT NULL
ORDER BY session, duration_ms
