-- In:  memory_views, glossary_term_embeddings, rebuilds.
-- Out: uri, indexed_at (of its newest view or keyword vector), reset_at (of the newest one that a rebuild dated), models
--      (of its vectors): the index of an address as it stands.
SELECT
    uri,
    max(updated_at) AS indexed_at,
    max(updated_at) FILTER (reset) AS reset_at,
    list(DISTINCT embedding_model) FILTER (embedding_model <> '') AS models
FROM (
    SELECT
        i.*,
        EXISTS (SELECT 1 FROM rebuilds AS r WHERE r.kind = i.kind AND i.updated_at BETWEEN r.first AND r.last) AS reset
    FROM (
        SELECT 'view' AS kind, uri, updated_at, embedding_model, status FROM memory_views
        UNION ALL
        SELECT 'term', uri, updated_at, embedding_model, status FROM glossary_term_embeddings
    ) AS i
    WHERE coalesce(i.status, 'active') = 'active'
)
GROUP BY uri
