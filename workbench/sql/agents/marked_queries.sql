-- In:  marks (query_id), recall_query_candidates.
-- Out: the queries with the number of memories that are used now.
UPDATE recall_queries
SET used_count = counted.used
FROM (
    SELECT query_id, count(*) FILTER (used_in_answer) AS used
    FROM recall_query_candidates
    WHERE query_id IN (SELECT m.query_id FROM marks AS m)
    GROUP BY query_id
) AS counted
WHERE recall_queries.query_id = counted.query_id
