-- In:  compared (compared.sql over display.sql, of whole queries).
-- Out: one row a candidate: whether it can be compared and is equal, what parity_flips.sql needs of it, and the cause
--      where it is not equal: the first that explains it. A weight counts as changed when one other weight explains the
--      term in all rows of its query.
SELECT
    query_id,
    score,
    priority,
    is_boot,
    ranked_position,
    shown,
    logged_shown,
    logged_score,
    excluded,
    equal,
    CASE
        WHEN off_weight AND one_weight THEN 'configuration change (signal weights)'
        WHEN off_weight AND NOT tokens_logged AND off_lexical THEN 'tokenizer (token count not logged)'
        WHEN off_weight THEN 'signal rows missing from the log'
        WHEN off_bonus THEN 'configuration change (bonuses)'
        WHEN logged_exact IS NULL THEN 'terms not logged, total differs'
        ELSE 'clock'
    END AS cause
FROM (
    SELECT
        *,
        coalesce(low_exact <= high_exact, true) AND coalesce(low_glossary <= high_glossary, true)
            AND coalesce(low_dense <= high_dense, true) AND coalesce(low_lexical <= high_lexical, true) AS one_weight
    FROM (
        SELECT
            *,
            max((logged_exact - 1e-6) / nullif(exact, 0)) OVER one_query AS low_exact,
            min((logged_exact + 1e-6) / nullif(exact, 0)) OVER one_query AS high_exact,
            max((logged_glossary_semantic - 1e-6) / nullif(glossary_semantic, 0)) OVER one_query AS low_glossary,
            min((logged_glossary_semantic + 1e-6) / nullif(glossary_semantic, 0)) OVER one_query AS high_glossary,
            max((logged_dense - 1e-6) / nullif(dense, 0)) OVER one_query AS low_dense,
            min((logged_dense + 1e-6) / nullif(dense, 0)) OVER one_query AS high_dense,
            max((logged_lexical - 1e-6) / nullif(lexical * lexical_damp, 0)) OVER one_query AS low_lexical,
            min((logged_lexical + 1e-6) / nullif(lexical * lexical_damp, 0)) OVER one_query AS high_lexical
        FROM compared
        WINDOW one_query AS (PARTITION BY query_id)
    )
)
