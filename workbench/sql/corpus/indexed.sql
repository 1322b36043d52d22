-- In:  memory_views, glossary_term_embeddings.
-- Out: uri, indexed_at (of its newest view or keyword vector), models (of its vectors): the index of an address as it stands.
SELECT
    uri,
    max(updated_at) AS indexed_at,
    list(DISTINCT embedding_model) FILTER (embedding_model <> '') AS models
FROM (
    SELECT uri, updated_at, embedding_model FROM memory_views WHERE coalesce(status, 'active') = 'active'
    UNION ALL
    SELECT uri, updated_at, embedding_model FROM glossary_term_embeddings WHERE coalesce(status, 'active') = 'active'
)
GROUP BY uri
