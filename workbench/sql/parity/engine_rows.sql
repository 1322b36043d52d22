-- In:  display (the engine's candidates, scored with the configuration in force), engine_counts (query_id, dense_rows,
--      glossary_rows, most_rows), wb.logged_candidates, wb.logged_queries, recall_events, selected_queries (query_id), memory_now,
--      memory_views, glossary_term_embeddings, memory_events; the bound values $model (of the engine's vectors), $rebuilt (whether
--      the views are rebuilt ones) and $row_limit.
-- Out: one row a (query_id, uri) that the log or the engine ranks: equal (each term to 1.5e-6, the total to 1e-5 because the
--      log keeps it as a 32-bit real), excluded (not to be compared, and why), and the cause where it is not equal.
SELECT
    r.*,
    CASE
        WHEN r.strategy <> 'raw_plus_lex_damp' THEN 'other scoring strategy'
        WHEN r.ranked_position IS NULL AND r.logged_score IS NULL THEN 'not ranked by the server'
        WHEN r.nothing_logged THEN 'prompt without logged candidates'
        WHEN r.other_depth AND r.one_domain THEN 'request limited to a domain'
        WHEN r.other_depth THEN 'request with another candidate limit'
    END AS excluded,
    r.ranked_position IS NOT NULL AND r.logged_score IS NOT NULL AND abs(r.score - r.logged_score) < 1e-5
        AND NOT r.off_text AND NOT r.off_vector AND NOT r.off_bonus AND NOT r.off_recency AS equal,
    CASE
        WHEN r.tokens_logged AND r.engine_tokens <> r.query_tokens THEN 'tokenizer'
        WHEN r.other_model AND r.no_vector AND $model::VARCHAR IS NOT NULL THEN 'embedding model'
        WHEN r.no_vector THEN 'prompt without a vector'
        WHEN r.ranked_position IS NULL AND NOT r.stands THEN 'deleted or moved memory'
        WHEN $rebuilt::BOOLEAN THEN 'rebuilt views'
        WHEN r.changed > r.now THEN 'memory edited or indexed since'
        WHEN r.ranked_position IS NOT NULL AND r.logged_score IS NOT NULL AND r.off_recency
            AND NOT r.off_text AND NOT r.off_vector AND NOT r.off_bonus THEN 'clock'
        WHEN r.off_bonus THEN 'configuration change (bonuses)'
        WHEN r.other_model THEN 'embedding model'
        WHEN r.at_the_limit THEN 'tie at the candidate limit'
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
        count(logged_score) OVER one_query = 0 AS nothing_logged,
        any_value(found_tokens) OVER one_query AS engine_tokens,
        min(domain) FILTER (logged_score IS NOT NULL) OVER one_query
            = max(domain) FILTER (logged_score IS NOT NULL) OVER one_query
            AND min(domain) OVER one_query < max(domain) OVER one_query AS one_domain,
        coalesce(most_rows >= $row_limit::INTEGER, false)
            AND (ranked_position IS NULL OR logged_score IS NULL OR off_vector AND least(dense, logged_dense) = 0)
            AS at_the_limit
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
            q.embedding_model <> coalesce($model::VARCHAR, '') AS other_model,
            c.changed,
            coalesce(d.uri, l.uri) IN (SELECT m.uri FROM memory_now AS m WHERE m.memory_id IS NOT NULL) AS stands,
            n.most_rows,
            split_part(coalesce(d.uri, l.uri), '://', 1) AS domain,
            n.dense_rows <> e.dense_rows OR n.glossary_rows <> e.glossary_rows AS other_depth
        FROM display AS d
        FULL JOIN (
            SELECT * FROM wb.logged_candidates WHERE query_id IN (SELECT s.query_id FROM selected_queries AS s)
        ) AS l ON l.query_id = d.query_id AND l.uri = d.uri
        LEFT JOIN engine_counts AS n ON n.query_id = coalesce(d.query_id, l.query_id)
        LEFT JOIN (
            SELECT
                query_id,
                any_value(try_cast(metadata ->> '$.retrieval_meta.dense_candidates' AS BIGINT)) AS dense_rows,
                any_value(try_cast(metadata ->> '$.retrieval_meta.glossary_semantic_candidates' AS BIGINT))
                    AS glossary_rows
            FROM recall_events
            GROUP BY query_id
        ) AS e ON e.query_id = n.query_id
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
