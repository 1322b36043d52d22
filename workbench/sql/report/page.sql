-- In:  prompts, log (judge.sql), memory_now, recall_queries; $offset, $size.
-- Out: queries, newest first: one more than a page, so that it is known whether another follows.
SELECT
    p.query_id,
    p.now,
    p.client,
    r.session_id,
    r.query_text,
    coalesce(l.shown, 0) AS shown,
    coalesce(l.used, 0) AS used,
    coalesce(l.deleted, 0) AS deleted,
    p.late
FROM prompts AS p
JOIN recall_queries AS r ON r.query_id = p.query_id
LEFT JOIN (
    SELECT
        query_id,
        count(*) AS shown,
        count(*) FILTER (label = 'used') AS used,
        count(*) FILTER (
            node NOT IN (SELECT n.node_uuid FROM memory_now AS n WHERE n.memory_id IS NOT NULL)
            AND (node <> uri OR uri NOT IN (SELECT n.uri FROM memory_now AS n WHERE n.memory_id IS NOT NULL))
        ) AS deleted
    FROM log
    GROUP BY query_id
) AS l ON l.query_id = p.query_id
ORDER BY p.now DESC, p.query_id
LIMIT $size::BIGINT + 1
OFFSET $offset::BIGINT
