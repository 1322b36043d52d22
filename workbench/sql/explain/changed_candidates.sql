-- In:  memory_changes (the changed candidate, one row a variant), rivals (the other candidates of its query).
-- Out: one query a variant: the changed candidate, where a signal still returns it, among its unchanged rivals, in the
--      shape that score.sql takes.
SELECT
    variant::VARCHAR AS query_id,
    * EXCLUDE (variant, change, value, query_id, uri_order),
    row_number() OVER (PARTITION BY variant ORDER BY icu_sort_key(uri, 'en_US'), uri) AS uri_order
FROM (
    SELECT * FROM memory_changes
    WHERE coalesce(exact, glossary_semantic, dense_gist, dense_question, lexical_gist, lexical_question) IS NOT NULL
    UNION ALL BY NAME
    SELECT v.variant, r.* FROM rivals AS r CROSS JOIN (SELECT variant FROM memory_changes) AS v
)
