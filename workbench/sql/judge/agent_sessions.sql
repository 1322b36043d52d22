-- In:  wb.agent_prompts, wb.agent_recalls, wb.agent_searches, wb.agent_opens, wb.logged_queries.
-- Out: one row a (source, session of the agent, logged_session): the sessions of the log that an agent's session speaks
--      of: its own id, those that its recall blocks and opens name, and those of the queries that its blocks name. Where
--      only a named session is known, that is the agent's. Sessions that many agents share are none.
SELECT DISTINCT a.source, a.session, a.logged_session
FROM (
    SELECT source, session_id AS session, session_id AS logged_session FROM wb.agent_prompts
    UNION ALL
    SELECT source, session_id, session_id FROM wb.agent_searches
    UNION ALL
    SELECT source, coalesce(session_id, given_session_id), unnest([session_id, given_session_id]) FROM wb.agent_recalls
    UNION ALL
    SELECT source, coalesce(session_id, given_session_id), unnest([session_id, given_session_id]) FROM wb.agent_opens
    UNION ALL
    SELECT r.source, coalesce(r.session_id, r.given_session_id), q.session_id
    FROM wb.agent_recalls AS r
    JOIN wb.logged_queries AS q ON q.query_id = r.query_id
) AS a
SEMI JOIN wb.logged_queries AS q ON q.session_id = a.logged_session
WHERE a.session IS NOT NULL AND a.logged_session NOT IN ('boot', 'recall-ui-debug')
