-- In:  numbered (numbered.sql: labelled candidates with the number of their pair).
-- Out: what a trial needs of each candidate, sorted as candidates of one score are: by prompt, priority, address order.
SELECT
    query_id AS query,
    number,
    is_boot,
    exact, glossary_semantic, dense_gist, dense_question, lexical_gist, lexical_question, gist_weight, question_weight,
    1e0 / log2(2e0 + greatest(1, query_tokens)) AS lexical_damp,
    priority,
    age_days
FROM numbered
ORDER BY query_id, priority, uri_order
