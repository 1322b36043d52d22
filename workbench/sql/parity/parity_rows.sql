-- In:  display (every logged candidate, scored with the configuration in force), wb.logged_queries.
-- Out: one row a candidate: comparable (ranked by the server's present scoring method), equal (each term to 1e-6, the
--      total to 1e-5 because the log keeps it as a 32-bit real), and the cause where it is not: the first that
--      explains it. A weight counts as changed when one other weight explains the term in all rows of its query.
SELECT
    d.*,
    CASE
        WHEN coalesce(d.strategy, 'raw_plus_lex_damp') <> 'raw_plus_lex_damp' THEN 'other scoring strategy'
        WHEN d.logged_score IS NULL THEN 'not ranked by the server'
        WHEN d.exact IS NULL AND d.glossary_semantic IS NULL AND NOT d.has_gist AND NOT d.has_question
            THEN 'signals not in the log'
    END AS excluded,
    abs(d.score - d.logged_score) < 1e-5
        AND (d.logged_exact IS NULL OR NOT d.off_weight AND NOT d.off_bonus) AS equal,
    CASE
        WHEN d.off_weight AND d.one_weight THEN 'configuration change (signal weights)'
        WHEN d.off_weight AND NOT d.tokens_logged AND d.off_lexical THEN 'tokenizer (token count not logged)'
        WHEN d.off_weight THEN 'signal rows missing from the log'
        WHEN d.off_bonus THEN 'configuration change (bonuses)'
        WHEN d.logged_exact IS NULL THEN 'terms not logged, total differs'
        ELSE 'clock'
    END AS cause
FROM (
    SELECT
        t.*,
        coalesce(t.low_exact <= t.high_exact, true) AND coalesce(t.low_glossary <= t.high_glossary, true)
            AND coalesce(t.low_dense <= t.high_dense, true) AND coalesce(t.low_lexical <= t.high_lexical, true)
            AS one_weight
    FROM (
        SELECT
            r.*,
            q.strategy,
            q.tokens_logged,
            abs(r.c_lexical - coalesce(r.logged_lexical, 0)) > 1e-6 AS off_lexical,
            abs(r.c_exact - coalesce(r.logged_exact, 0)) > 1e-6
                OR abs(r.c_glossary_semantic - coalesce(r.logged_glossary_semantic, 0)) > 1e-6
                OR abs(r.c_dense - coalesce(r.logged_dense, 0)) > 1e-6
                OR abs(r.c_lexical - coalesce(r.logged_lexical, 0)) > 1e-6 AS off_weight,
            abs(r.c_view - coalesce(r.logged_view, 0)) > 1e-6
                OR abs(r.c_priority - coalesce(r.logged_priority, 0)) > 1e-6
                OR abs(r.c_multi_view - coalesce(r.logged_multi_view, 0)) > 1e-6
                OR abs(r.c_recency - coalesce(r.logged_recency, 0)) > 1e-6 AS off_bonus,
            max((r.logged_exact - 1e-6) / nullif(r.exact, 0)) OVER one_query AS low_exact,
            min((r.logged_exact + 1e-6) / nullif(r.exact, 0)) OVER one_query AS high_exact,
            max((r.logged_glossary_semantic - 1e-6) / nullif(r.glossary_semantic, 0)) OVER one_query AS low_glossary,
            min((r.logged_glossary_semantic + 1e-6) / nullif(r.glossary_semantic, 0)) OVER one_query AS high_glossary,
            max((r.logged_dense - 1e-6) / nullif(r.dense, 0)) OVER one_query AS low_dense,
            min((r.logged_dense + 1e-6) / nullif(r.dense, 0)) OVER one_query AS high_dense,
            max((r.logged_lexical - 1e-6) / nullif(r.lexical * r.lexical_damp, 0)) OVER one_query AS low_lexical,
            min((r.logged_lexical + 1e-6) / nullif(r.lexical * r.lexical_damp, 0)) OVER one_query AS high_lexical
        FROM display AS r
        JOIN wb.logged_queries AS q ON q.query_id = r.query_id
        WINDOW one_query AS (PARTITION BY r.query_id)
    ) AS t
) AS d
