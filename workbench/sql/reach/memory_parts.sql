-- In:  memory_now, glossary_keywords, memory_views, glossary_term_embeddings; the bound values $uri and $model, the
--      embedding model that prompts are embedded with (NULL: none is known).
-- Out: one row: what the store holds of the address, and of which signals it can therefore get rows. A vector counts as
--      comparable when it is of that model, as long as most of them, finite and not all zero.
SELECT
    n.node_uuid,
    n.memory_id IS NOT NULL AS active,
    coalesce(n.priority, v.priority, t.priority, 0) AS priority,
    coalesce(k.keywords, []) AS keywords,
    coalesce(t.comparable, 0) AS comparable_terms,
    coalesce(t.of_other_model, 0) AS terms_of_other_model,
    coalesce(v.has_gist, false) AS has_gist,
    coalesce(v.has_question, false) AS has_question,
    coalesce(v.comparable_gist, false) AS comparable_gist,
    coalesce(v.comparable_question, false) AS comparable_question,
    coalesce(v.of_other_model, 0) AS views_of_other_model,
    v.gist_weight,
    v.question_weight,
    n.uri IS NOT NULL OR v.priority IS NOT NULL OR t.priority IS NOT NULL AS known
FROM (SELECT $uri::VARCHAR AS uri) AS asked
LEFT JOIN memory_now AS n ON n.uri = asked.uri
LEFT JOIN (
    SELECT node_uuid, list(keyword ORDER BY keyword) AS keywords FROM glossary_keywords GROUP BY node_uuid
) AS k ON k.node_uuid = n.node_uuid
LEFT JOIN (
    SELECT
        uri,
        min(coalesce(priority, 0)) AS priority,
        bool_or(view_type = 'gist') AS has_gist,
        bool_or(view_type = 'question') AS has_question,
        bool_or(view_type = 'gist' AND comparable) AS comparable_gist,
        bool_or(view_type = 'question' AND comparable) AS comparable_question,
        count(*) FILTER (filled AND embedding_model IS DISTINCT FROM $model::VARCHAR) AS of_other_model,
        max(row_weight) FILTER (view_type = 'gist') AS gist_weight,
        max(row_weight) FILTER (view_type = 'question') AS question_weight
    FROM (
        SELECT
            *,
            coalesce(nullif(weight, 0), 1)::VARCHAR::DOUBLE AS row_weight,
            coalesce(
                list_bool_or(list_transform(embedding_vector, lambda x: x <> 0))
                AND list_bool_and(list_transform(embedding_vector, lambda x: x IS NOT NULL AND isfinite(x))), false
            ) AS filled,
            filled AND embedding_model = $model::VARCHAR AND len(embedding_vector) = (
                SELECT mode(len(embedding_vector)) FROM memory_views WHERE embedding_model = $model::VARCHAR
            ) AS comparable
        FROM memory_views
        WHERE coalesce(status, 'active') = 'active' AND view_type IN ('gist', 'question')
    )
    GROUP BY uri
) AS v ON v.uri = asked.uri
LEFT JOIN (
    SELECT
        uri,
        min(coalesce(priority, 0)) AS priority,
        count(*) FILTER (comparable) AS comparable,
        count(*) FILTER (filled AND embedding_model IS DISTINCT FROM $model::VARCHAR) AS of_other_model
    FROM (
        SELECT
            *,
            coalesce(
                list_bool_or(list_transform(embedding_vector, lambda x: x <> 0))
                AND list_bool_and(list_transform(embedding_vector, lambda x: x IS NOT NULL AND isfinite(x))), false
            ) AS filled,
            filled AND embedding_model = $model::VARCHAR AND len(embedding_vector) = (
                SELECT mode(len(embedding_vector)) FROM glossary_term_embeddings WHERE embedding_model = $model::VARCHAR
            ) AS comparable
        FROM glossary_term_embeddings
        WHERE coalesce(status, 'active') = 'active'
    )
    GROUP BY uri
) AS t ON t.uri = asked.uri
