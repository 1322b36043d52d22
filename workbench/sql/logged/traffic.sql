-- In:  wb.logged_queries, recall_queries, wb.agent_searches, wb.agent_prompts.
-- Out: the logged queries, traffic prompt taken apart: search where an agent searched for the very text in the session
--      within half a minute, and nobody typed it there. What agents did may be imported after the log.
SELECT
    l.* EXCLUDE (traffic),
    CASE WHEN l.traffic = 'prompt' AND s.query_id IS NOT NULL THEN 'search' ELSE l.traffic END AS traffic
FROM wb.logged_queries AS l
LEFT JOIN (
    SELECT DISTINCT q.query_id
    FROM recall_queries AS q
    JOIN wb.agent_searches AS a ON a.session_id = q.session_id AND trim(a.query_text) = trim(q.query_text)
    WHERE abs(epoch_ms(a.searched_at) - epoch_ms(q.created_at)) <= 30_000
        AND NOT EXISTS (
            SELECT 1
            FROM wb.agent_prompts AS p
            WHERE p.session_id = q.session_id AND trim(p.query_text) = trim(q.query_text)
        )
) AS s ON s.query_id = l.query_id
