-- In:  misses, corpus_addresses, corpus_views, corpus_terms, comparable_views and comparable_terms (place: rows whose
--      vector compares with prompts).
-- Out: one row a missed (query_id, node): what the store held of the memory at the time of the prompt.
SELECT
    m.query_id,
    m.node,
    coalesce(a.keywords, []) AS keywords,
    coalesce(v.views, 0) AS views,
    coalesce(v.compared, 0) AS compared_views,
    coalesce(t.terms, 0) AS terms,
    coalesce(t.compared, 0) AS compared_terms
FROM misses AS m
LEFT JOIN (
    SELECT m.query_id, m.node, list_sort(list_distinct(flatten(list(a.keywords)))) AS keywords
    FROM misses AS m
    JOIN corpus_addresses AS a ON a.node_uuid = m.node AND (m.now IS NULL OR a.valid_from <= m.now AND m.now < a.valid_to)
    GROUP BY ALL
) AS a ON a.query_id = m.query_id AND a.node = m.node
LEFT JOIN (
    SELECT m.query_id, m.node, count(*) AS views, count(c.place) AS compared
    FROM misses AS m
    JOIN corpus_views AS v ON v.node_uuid = m.node AND (m.now IS NULL OR v.valid_from <= m.now AND m.now < v.valid_to)
    LEFT JOIN comparable_views AS c ON c.place = v.place
    GROUP BY ALL
) AS v ON v.query_id = m.query_id AND v.node = m.node
LEFT JOIN (
    SELECT m.query_id, m.node, count(*) AS terms, count(c.place) AS compared
    FROM misses AS m
    JOIN corpus_terms AS v ON v.node_uuid = m.node AND (m.now IS NULL OR v.valid_from <= m.now AND m.now < v.valid_to)
    LEFT JOIN comparable_terms AS c ON c.place = v.place
    GROUP BY ALL
) AS t ON t.query_id = m.query_id AND t.node = m.node
