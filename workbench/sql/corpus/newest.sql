-- In:  the tables of the store, wb.imports.
-- Out: newest: the newest time stamp of the store that does not lie in the future, which is more than a day after its last
--      import. Without an import, or where all lie in the future, that of the newest recall or memory event; NULL in a
--      store without any time stamp.
SELECT coalesce(
    max(moment) FILTER (moment <= (SELECT max(i.finished_at) + INTERVAL 1 DAY FROM wb.imports AS i)),
    max(moment) FILTER (logged),
    max(moment)
) AS newest
FROM (
    SELECT max(created_at) AS moment, true AS logged FROM recall_queries
    UNION ALL SELECT max(created_at), true FROM memory_events
    UNION ALL SELECT created_at, false FROM nodes
    UNION ALL SELECT created_at, false FROM memories
    UNION ALL SELECT created_at, false FROM edges
    UNION ALL SELECT created_at, false FROM paths
    UNION ALL SELECT created_at, false FROM glossary_keywords
    UNION ALL SELECT updated_at, false FROM memory_views
    UNION ALL SELECT updated_at, false FROM glossary_term_embeddings
)
