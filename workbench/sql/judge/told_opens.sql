-- In:  wb.agent_opens.
-- Out: the opens, each call once, in the order of time: where the service and the agent's own transcript both tell of a
--      call, the transcript's row, which stands among the session's turns.
SELECT o.open_id, o.uri, o.given_query_id, o.found
FROM wb.agent_opens AS o
WHERE o.source <> 'service' OR NOT EXISTS (
    SELECT 1
    FROM wb.agent_opens AS t
    WHERE t.source <> 'service'
        AND rtrim(trim(t.uri), '/') = rtrim(trim(o.uri), '/')
        AND trim(t.given_query_id) IS NOT DISTINCT FROM o.given_query_id
        AND coalesce(t.session_id = o.session_id, t.given_session_id = o.session_id, true)
        AND t.opened_at BETWEEN o.opened_at - INTERVAL 1 MINUTE AND o.opened_at + INTERVAL 1 MINUTE
)
ORDER BY o.opened_at NULLS LAST, o.open_id
