-- In:  prompts (judge/prompts.sql), log (judge.sql), recall_queries, hand_labels, miss_evidence, used_alike (query_id,
--      node, uri, twin: the memory was used in the near-identical prompt twin), estimates (query_id, node, estimate).
-- Out: one row a (query_id, node) that was missed: something speaks for the memory, and nobody was shown it. hand is the
--      unexpired answer, opened_after_search and opened_unlinked are times, used_alike is the query_id of the twin; each is
--      NULL where there is none. An answer "no" overrules what an agent opened; an estimate never counts alone.
SELECT
    e.query_id,
    e.node,
    e.uri,
    true AS logged,
    p.now,
    p.client,
    p.session_key,
    q.query_text,
    p.late,
    e.hand,
    e.opened_after_search,
    e.opened_unlinked,
    e.used_alike,
    m.estimate
FROM (
    SELECT
        query_id,
        node,
        arg_min(uri, strength) AS uri,
        max(grade) FILTER (strength = 1) AS hand,
        min(moment) FILTER (strength = 2) AS opened_after_search,
        min(moment) FILTER (strength = 3) AS opened_unlinked,
        min(twin) FILTER (strength = 4) AS used_alike
    FROM (
        SELECT query_id, node, uri, 1 AS strength, grade, labelled_at AS moment, NULL AS twin
        FROM hand_labels
        WHERE NOT expired
        UNION ALL
        SELECT query_id, node, uri, CASE grade WHEN 'opened_after_search' THEN 2 ELSE 3 END, grade, "at", NULL
        FROM miss_evidence
        UNION ALL
        SELECT query_id, node, uri, 4, NULL, NULL, twin
        FROM used_alike
    )
    GROUP BY query_id, node
) AS e
JOIN prompts AS p ON p.query_id = e.query_id
JOIN recall_queries AS q ON q.query_id = e.query_id
LEFT JOIN log AS l ON l.query_id = e.query_id AND l.node = e.node
LEFT JOIN estimates AS m ON m.query_id = e.query_id AND m.node = e.node
WHERE (l.node IS NULL OR p.late AND l.mark IS NULL)
    AND e.hand IS DISTINCT FROM 'no'
    AND (e.hand = 'yes' OR coalesce(e.opened_after_search, e.opened_unlinked) IS NOT NULL OR e.used_alike IS NOT NULL)
