-- In:  logged_events; memory_now, memory_views, glossary_term_embeddings: what is known of time stamps and priority.
-- Out: the signal rows that merge.sql takes. updated_at is the time stamp that the server would use for the row
--      (memory, keyword or view), NULL where the store does not hold it.
SELECT
    e.query_id,
    e.uri,
    e.signal,
    e.view_type,
    e.raw_score,
    e.weight,
    e.arrival,
    coalesce(
        CASE e.signal WHEN 'exact' THEN n.priority WHEN 'glossary_semantic' THEN g.priority ELSE v.priority END,
        n.priority
    ) AS priority,
    CASE e.signal WHEN 'exact' THEN n.created_at WHEN 'glossary_semantic' THEN g.updated_at ELSE v.updated_at END
        AS updated_at
FROM logged_events AS e
LEFT JOIN memory_now AS n ON n.uri = e.uri
LEFT JOIN (
    SELECT uri, view_type, max(updated_at) AS updated_at, min(priority) AS priority
    FROM memory_views
    WHERE coalesce(status, 'active') = 'active'
    GROUP BY ALL
) AS v ON v.uri = e.uri AND v.view_type = e.view_type AND e.signal IN ('dense', 'lexical')
LEFT JOIN (
    SELECT uri, keyword, max(updated_at) AS updated_at, min(priority) AS priority
    FROM glossary_term_embeddings
    WHERE coalesce(status, 'active') = 'active'
    GROUP BY ALL
) AS g ON g.uri = e.uri AND g.keyword = e.keyword AND e.signal = 'glossary_semantic'
