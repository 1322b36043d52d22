-- In:  score (score.sql over candidates with number, that of their pair).
-- Out: one row a pair, by number: the signals without their weights and the bonuses, of its best address.
SELECT number, f.*
FROM (
    SELECT
        number,
        arg_max(
            {
                exact: coalesce(exact, 0),
                glossary_semantic: coalesce(glossary_semantic, 0),
                dense: dense,
                lexical: lexical * lexical_damp,
                view: c_view,
                priority: c_priority,
                multi_view: c_multi_view,
                recency: c_recency
            },
            (score, -uri_order)
        ) AS f
    FROM score
    GROUP BY number
)
ORDER BY number
