-- In:  cut_candidates (query_id, variant, node, exact, shown: what the engine makes of the part of a prompt that was not
--      searched, or of all of it), cut_prompts (query_id, asked_outside, unsearched), misses, placed.
-- Out: one row a missed (query_id, node) that was asked outside the searched part: with more of the prompt it would be
--      shown (how = shown), or be found where it was not (found), or by a keyword (keyword), or the prompt asks its question
--      there and it is found there (asked).
SELECT query_id, node, unsearched, how
FROM (
    SELECT
        m.query_id,
        m.node,
        any_value(p.unsearched) AS unsearched,
        CASE
            WHEN bool_or(c.shown) THEN 'shown'
            WHEN any_value(l.node) IS NULL THEN 'found'
            WHEN max(c.exact) >= 0.84 AND coalesce(any_value(l.exact), 0) < 0.84 THEN 'keyword'
            WHEN any_value(p.asked_outside) THEN 'asked'
        END AS how
    FROM misses AS m
    JOIN cut_prompts AS p ON p.query_id = m.query_id
    JOIN cut_candidates AS c ON c.query_id = m.query_id AND c.node = m.node
    LEFT JOIN placed AS l ON l.query_id = m.query_id AND l.node = m.node
    GROUP BY m.query_id, m.node
)
WHERE how IS NOT NULL
