-- In:  prompts, recall_queries.
-- Out: one row: duration percentiles in milliseconds, and how many prompts have a duration and how many have none.
SELECT
    quantile_cont(r.duration_ms, 0.5)::DOUBLE AS p50,
    quantile_cont(r.duration_ms, 0.9)::DOUBLE AS p90,
    quantile_cont(r.duration_ms, 0.99)::DOUBLE AS p99,
    count(r.duration_ms) AS known,
    count(*) - count(r.duration_ms) AS unknown
FROM prompts AS p
JOIN recall_queries AS r ON r.query_id = p.query_id
