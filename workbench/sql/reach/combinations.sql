-- In:  the bound values $exact (scores of exact tiers, NULL for no exact match), $most_priority, $query_tokens, and
--      $row_gist_weight, $row_question_weight, the weights that stand on view rows.
-- Out: synthetic candidates in the shape that score.sql takes: each combination of signals at its top value, as fresh
--      as can be, for each priority from 0; a combination that hits one view stands there with either type of view.
--      by_lexical: none, contained (the prompt stands in the view, rank 0) or words. views counts the view types hit.
SELECT
    e.exact,
    g.score AS glossary_semantic,
    d.hit AS by_dense,
    l.name AS by_lexical,
    v.gist::INTEGER + v.question::INTEGER AS views,
    CASE WHEN d.hit AND v.gist THEN 1e0 END AS dense_gist,
    CASE WHEN d.hit AND v.question THEN 1e0 END AS dense_question,
    CASE WHEN v.gist THEN l.top END AS lexical_gist,
    CASE WHEN v.question THEN l.top END AS lexical_question,
    $row_gist_weight::DOUBLE AS gist_weight,
    $row_question_weight::DOUBLE AS question_weight,
    p.priority::INTEGER AS priority,
    0e0 AS age_days,
    $query_tokens::INTEGER AS query_tokens
FROM (SELECT unnest($exact::DOUBLE[]) AS exact) AS e
CROSS JOIN (VALUES (NULL), (1e0)) AS g (score)
CROSS JOIN (VALUES (false), (true)) AS d (hit)
CROSS JOIN (VALUES ('none', NULL), ('contained', 0e0), ('words', 1e0)) AS l (name, top)
JOIN (VALUES (false, false), (true, false), (false, true), (true, true)) AS v (gist, question)
    ON (v.gist OR v.question) = (d.hit OR l.name <> 'none')
CROSS JOIN (SELECT unnest(range($most_priority::INTEGER + 1)) AS priority) AS p
WHERE e.exact IS NOT NULL OR g.score IS NOT NULL OR v.gist OR v.question
