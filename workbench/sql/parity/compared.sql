-- In:  scored (score.sql or display.sql over the logged candidates, with the configuration in force), wb.logged_queries.
-- Out: scored plus strategy and tokens_logged of its query, off_lexical, off_weight and off_bonus (a term differs from the
--      logged one by more than 1e-6), excluded (why a row cannot be compared), and equal (each term to 1e-6, the total to
--      1e-5 because the log keeps it as a 32-bit real).
SELECT
    *,
    CASE
        WHEN coalesce(strategy, 'raw_plus_lex_damp') <> 'raw_plus_lex_damp' THEN 'other scoring strategy'
        WHEN logged_score IS NULL THEN 'not ranked by the server'
        WHEN exact IS NULL AND glossary_semantic IS NULL AND NOT has_gist AND NOT has_question
            THEN 'signals not in the log'
    END AS excluded,
    abs(score - logged_score) < 1e-5 AND (logged_exact IS NULL OR NOT off_weight AND NOT off_bonus) AS equal
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
            OR abs(r.c_recency - coalesce(r.logged_recency, 0)) > 1e-6 AS off_bonus
    FROM scored AS r
    JOIN wb.logged_queries AS q ON q.query_id = r.query_id
)
