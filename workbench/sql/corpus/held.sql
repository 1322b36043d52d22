-- In:  glossary_keywords, rebuilds.
-- Out: key ({node, keyword}), created_at, reset: the keywords of now, each once; reset: a rebuild gave it its date.
SELECT
    {'node': k.node_uuid, 'keyword': k.keyword} AS key,
    min(k.created_at) AS created_at,
    coalesce(bool_or(r.first IS NOT NULL), false) AS reset
FROM glossary_keywords AS k
LEFT JOIN rebuilds AS r ON r.kind = 'keyword' AND k.created_at BETWEEN r.first AND r.last
GROUP BY ALL
