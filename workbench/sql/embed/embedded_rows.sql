-- In:  memory_views, glossary_term_embeddings.
-- Out: one row an active view or keyword row: kind (views, glossary), text: what is embedded for it, the model, the
--      declared and the true length of its vector, and fault: why no vector compares with it, NULL where one may.
--      rebuilt: none of the server's; its vector is that of its text in wb.embeddings.
SELECT
    kind,
    text,
    model,
    declared,
    len(vector) AS length,
    rebuilt,
    CASE
        WHEN coalesce(len(vector), 0) = 0 THEN 'no vector'
        WHEN list_count(vector) < len(vector) THEN 'holds null'
        WHEN NOT isfinite(list_max(vector)) OR NOT isfinite(list_min(vector)) THEN 'holds a number that is not finite'
        WHEN list_max(vector) = 0 AND list_min(vector) = 0 THEN 'is zero'
    END AS fault
FROM (
    SELECT
        'views' AS kind,
        text_content AS text,
        embedding_model AS model,
        embedding_dim AS declared,
        embedding_vector AS vector,
        source IS NOT DISTINCT FROM 'rebuilt' AS rebuilt
    FROM memory_views
    WHERE coalesce(status, 'active') = 'active'
    UNION ALL
    SELECT
        'glossary',
        coalesce(nullif(match_text, ''), regexp_replace(keyword, '[/_-]+', ' ', 'g')),
        embedding_model,
        embedding_dim,
        embedding_vector,
        source IS NOT DISTINCT FROM 'rebuilt'
    FROM glossary_term_embeddings
    WHERE coalesce(status, 'active') = 'active'
)
