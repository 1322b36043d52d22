-- In:  score (score.sql over labelled candidates).
-- Out: one row a term of the score and group of candidates: used (used in the log), shown_unused (shown there and not
--      used), withheld (not shown there): how many, and the 5th, 25th, 50th, 75th and 95th percentile of the term.
SELECT term, grp, count(*) AS candidates, quantile_cont(value, [0.05, 0.25, 0.5, 0.75, 0.95]) AS quantiles
FROM (
    UNPIVOT (
        SELECT
            CASE WHEN label = 1 THEN 'used' WHEN label = 0 THEN 'shown_unused' ELSE 'withheld' END AS grp,
            c_exact AS exact,
            c_glossary_semantic::DOUBLE AS glossary_semantic,
            c_dense AS dense,
            c_lexical AS lexical,
            c_view::DOUBLE AS view,
            c_priority::DOUBLE AS priority,
            c_multi_view AS multi_view,
            c_recency::DOUBLE AS recency,
            score
        FROM score
        WHERE label IS NULL OR label <> -1
    ) ON exact, glossary_semantic, dense, lexical, view, priority, multi_view, recency, score
    INTO NAME term VALUE value
)
GROUP BY term, grp
ORDER BY term, grp
