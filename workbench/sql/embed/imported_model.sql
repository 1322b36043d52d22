-- In:  app_settings, memory_views, glossary_term_embeddings, wb.logged_queries.
-- Out: one row, the embedding model of the imported server, where it is known: the setting, else the model of most rows
--      with a vector, else that of most logged queries.
SELECT model
FROM (
    SELECT
        1 AS place,
        1 AS number,
        CASE
            WHEN NOT json_valid(value) THEN NULL
            WHEN json_type(value) = 'VARCHAR' THEN value ->> '$'
            WHEN json_type(value, '$.value') = 'VARCHAR' THEN value ->> '$.value'
        END AS model
    FROM app_settings
    WHERE key = 'embedding.model'
    UNION ALL
    SELECT 2, count(*), embedding_model
    FROM (
        SELECT embedding_model FROM memory_views WHERE len(embedding_vector) > 0
        UNION ALL
        SELECT embedding_model FROM glossary_term_embeddings WHERE len(embedding_vector) > 0
    )
    GROUP BY embedding_model
    UNION ALL
    SELECT 3, count(*), embedding_model
    FROM wb.logged_queries
    GROUP BY embedding_model
)
WHERE trim(model) <> ''
ORDER BY place, number DESC, model
LIMIT 1
