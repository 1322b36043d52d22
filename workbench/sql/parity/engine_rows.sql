-- In:  display (the engine's candidates, scored with the configuration in force), wb.logged_candidates, wb.logged_queries,
--      selected_queries (query_id), memory_now, memory_views, glossary_term_embeddings, memory_events; the bound values
--      $model (of the engine's vectors) and $row_limit.
-- Out: one row a (query_id, uri) that the log or the engine ranks: equal (each term to 1.5e-6, the total to 1e-5 because the
--      log keeps it as a 32-bit real), excluded (not to be compared, and why), and the cause where it is not equal.
SELECT
    r.*,
    CASE
        WHEN r.strategy <> 'raw_plus_lex_damp' THEN 'other scoring strategy'
        WHEN r.ranked_position IS NULL AND r.logged_score IS NULL THEN 'not ranked by the server'
    END AS excluded,
    r.ranked_position IS NOT NULL AND r.logged_score IS NOT NULL AND abs(r.score - r.logged_score) < 1e-5
        AND NOT r.off_text AND NOT r.off_vector AND NOT r.off_bonus AND NOT r.off_recency AS equal,
    CASE
        WHEN r.tokens_logged AND r.engine_tokens <> r.query_tokens THEN 'tokenizer'
        WHEN r.embedding_model <> coalesce($model::VARCHAR, '') AND r.no_vector THEN 'embedding model'
        WHEN r.no_vector THEN 'prompt without a vector'
        WHEN r.ranked_position IS NULL AND r.changed IS NULL THEN 'deleted memory'
        WHEN r.changed > r.now THEN 'memory edited or indexed since'
        WHEN r.ranked_position IS NOT NULL AND r.logged_score IS NOT NULL AND r.off_recency
            AND NOT r.off_text AND NOT r.off_vector AND NOT r.off_bonus THEN 'clock'
        WHEN r.off_bonus THEN 'configuration change (bonuses)'
        WHEN r.embedding_model <> coalesce($model::VARCHAR, '') THEN 'embedding model'
        WHEN r.full THEN 'candidate limit'
        ELSE 'unexplained'
    END AS cause
FROM (
    SELECT
        *,
        abs(c_exact - logged_exact) > 1.5e-6 OR abs(c_lexical - logged_lexical) > 1.5e-6 AS off_text,
        abs(c_glossary_semantic - logged_glossary_semantic) > 1.5e-6 OR abs(c_dense - logged_dense) > 1.5e-6
            AS off_vector,
        abs(c_view - logged_view) > 1.5e-6 OR abs(c_priority - logged_priority) > 1.5e-6
            OR abs(c_multi_view - logged_multi_view) > 1.5e-6 AS off_bonus,
        abs(c_recency - coalesce(logged_recency, 0)) > 1.5e-6 AS off_recency,
        bool_and(coalesce(dense, 0) = 0 AND coalesce(glossary_semantic, 0) = 0) OVER one_query
            AND bool_or(logged_dense > 0 OR logged_glossary_semantic > 0) OVER one_query AS no_vector,
        any_value(found_tokens) OVER one_query AS engine_tokens,
        count(dense) FILTER (logged_score IS NOT NULL AND logged_dense > 0) OVER one_query >= $row_limit::INTEGER / 2
            AS full
    FROM (
        SELECT
            coalesce(d.query_id, l.query_id) AS query_id,
            coalesce(d.uri, l.uri) AS uri,
            d.* EXCLUDE (query_id, uri, query_tokens, logged_score, logged_shown, shown, is_boot, used, priority),
            coalesce(d.priority, l.priority) AS priority,
            coalesce(d.is_boot, l.is_boot) AS is_boot,
            coalesce(d.shown, false) AS shown,
            coalesce(l.logged_shown, false) AS logged_shown,
            coalesce(l.used, false) AS used,
            l.logged_score,
            d.query_tokens AS found_tokens,
            q.now,
            q.query_tokens,
            q.tokens_logged,
            coalesce(q.strategy, 'raw_plus_lex_damp') AS strategy,
            coalesce(q.embedding_model, '') AS embedding_model,
            c.changed
        FROM display AS d
        FULL JOIN (
            SELECT * FROM wb.logged_candidates WHERE query_id IN (SELECT s.query_id FROM selected_queries AS s)
        ) AS l ON l.query_id = d.query_id AND l.uri = d.uri
        JOIN wb.logged_queries AS q ON q.query_id = coalesce(d.query_id, l.query_id)
        LEFT JOIN (
            SELECT uri, max(changed) AS changed
            FROM (
                SELECT uri, created_at AS changed FROM memory_now
                UNION ALL
                SELECT uri, updated_at FROM memory_views
                UNION ALL
                SELECT uri, updated_at FROM glossary_term_embeddings
                UNION ALL
                SELECT node_uri, created_at FROM memory_events
            )
            GROUP BY uri
        ) AS c ON c.uri = coalesce(d.uri, l.uri)
    )
    WINDOW one_query AS (PARTITION BY query_id)
) AS r
