-- In:  term_candidates (term, in lower case), judged_prompts, recall_queries, misses; $node, $chars (how much of a prompt
--      is searched).
-- Out: one row a term: in how many of the node's missed prompts its letters stand, and in how many other prompts.
SELECT
    t.term,
    count(*) FILTER (p.missed)::BIGINT AS missed,
    count(*) FILTER (NOT p.missed)::BIGINT AS others
FROM term_candidates AS t
JOIN (
    SELECT
        lower(left(q.query_text, $chars::INTEGER)) AS searched,
        EXISTS (SELECT 1 FROM misses AS m WHERE m.query_id = q.query_id AND m.node = $node::VARCHAR) AS missed
    FROM recall_queries AS q
    SEMI JOIN judged_prompts AS p ON p.query_id = q.query_id
) AS p ON contains(p.searched, t.term)
GROUP BY t.term
ORDER BY t.term
