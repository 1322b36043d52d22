-- In:  memory_parts (one row); the bound value $query_tokens.
-- Out: that memory as a candidate whose every signal stands at its top value, just edited: the shape score.sql takes.
SELECT
    CASE WHEN active THEN 1e0 END AS exact,
    CASE WHEN comparable_terms > 0 THEN 1e0 END AS glossary_semantic,
    CASE WHEN comparable_gist THEN 1e0 END AS dense_gist,
    CASE WHEN comparable_question THEN 1e0 END AS dense_question,
    CASE WHEN has_gist THEN 1e0 END AS lexical_gist,
    CASE WHEN has_question THEN 1e0 END AS lexical_question,
    gist_weight,
    question_weight,
    priority,
    0e0 AS age_days,
    $query_tokens::INTEGER AS query_tokens
FROM memory_parts
