-- In:  outcomes (judge/outcomes.sql).
-- Out: the newly shown (query_id, node) with their client, numbered from 0.
SELECT (row_number() OVER (ORDER BY query_id, node) - 1)::BIGINT AS number, query_id, node, client
FROM outcomes
WHERE outcome = 'newly_shown'
