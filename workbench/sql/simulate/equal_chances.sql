-- In:  sim_candidates (merge.sql), sim_prompts; $chance.
-- Out: one row a (query_id, uri) of a typed prompt: the same chance of help for all but start-up memories.
SELECT c.query_id, c.uri, CASE WHEN c.is_boot THEN 0 ELSE $chance::DOUBLE END AS chance
FROM sim_candidates AS c
JOIN sim_prompts AS p ON p.query_id = c.query_id
WHERE p.typed
