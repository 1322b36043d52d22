-- In:  score (score.sql over reach/combinations.sql).
-- Out: one row a combination of signals: best, the highest score that it reaches, by priority from 0.
SELECT exact, glossary_semantic, by_dense, by_lexical, views, list(best ORDER BY priority) AS best
FROM (
    SELECT
        exact,
        glossary_semantic IS NOT NULL AS glossary_semantic,
        by_dense,
        by_lexical,
        views,
        priority,
        max(score) AS best
    FROM score
    GROUP BY ALL
)
GROUP BY ALL
ORDER BY exact NULLS FIRST, glossary_semantic, by_dense, by_lexical, views
