-- In:  wb.embeddings, memory_views, glossary_term_embeddings; $model.
-- Out: one row, the commonest length of a vector of the model (the shorter of two equally common ones), where there is
--      one.
SELECT length
FROM (
    SELECT len(vector) AS length FROM wb.embeddings WHERE model = $model
    UNION ALL
    SELECT len(embedding_vector) FROM memory_views WHERE embedding_model = $model
    UNION ALL
    SELECT len(embedding_vector) FROM glossary_term_embeddings WHERE embedding_model = $model
)
WHERE length > 0
GROUP BY length
ORDER BY count(*) DESC, length
LIMIT 1
