-- In:  prompts, log (judge.sql), memory_now, recall_queries; $outcome (of OUTCOMES) and $domain, NULL where off.
-- Out: queries with what they showed, and how that ended; with a domain those that show a memory of it.
SELECT * FROM (
    SELECT
        p.query_id,
        p.now,
        p.client,
        r.session_id,
        r.query_text,
        coalesce(l.shown, 0) AS shown,
        coalesce(l.used, 0) AS used,
        coalesce(l.deleted, 0) AS deleted,
        p.late,
        CASE WHEN l.used > 0 THEN 'used' WHEN p.late THEN 'late' WHEN l.shown > 0 THEN 'unused' ELSE 'silent' END AS outcome
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
            ) AS deleted,
            list(split_part(uri, '://', 1)) AS domains
        FROM log
        GROUP BY query_id
    ) AS l ON l.query_id = p.query_id
    WHERE $domain::VARCHAR IS NULL OR list_contains(l.domains, $domain::VARCHAR)
)
WHERE $outcome::VARCHAR IS NULL OR outcome = $outcome::VARCHAR
