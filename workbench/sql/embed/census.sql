-- In:  embedded_rows, wb.embeddings, wb.logged_queries.
-- Out: number of rows, without those that are rebuilt, by kind (views, glossary, texts: embedded here, queries: logged, without a vector), model, length
--      and declared length of the vector, and fault.
SELECT kind, model, length, declared, fault, count(*) AS number
FROM embedded_rows
WHERE NOT rebuilt
GROUP BY ALL
UNION ALL
SELECT 'texts', model, len(vector), NULL, NULL, count(*)
FROM wb.embeddings
GROUP BY ALL
UNION ALL
SELECT 'queries', embedding_model, NULL, NULL, NULL, count(*)
FROM wb.logged_queries
WHERE embedding_model <> ''
GROUP BY ALL
