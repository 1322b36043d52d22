-- In:  linked_prompts, agent_sessions, wb.agent_prompts, traffic (the logged queries with their class).
-- Out: source, session, at, query_id: when each turn of an agent's session began, by the agent's clock where the prompt
--      was seen, else by the log's. query_id is NULL for a prompt that the log does not know: what follows it belongs to
--      no logged query. Recalls at the start of a session and searches are no turns.
SELECT l.source, l.session, l.at, l.query_id
FROM linked_prompts AS l
JOIN traffic AS q ON q.query_id = l.query_id AND q.traffic IN ('prompt', 'heartbeat')
UNION ALL
SELECT s.source, s.session, q.now, q.query_id
FROM agent_sessions AS s
JOIN traffic AS q ON q.session_id = s.logged_session AND q.traffic IN ('prompt', 'heartbeat')
ANTI JOIN linked_prompts AS l ON l.query_id = q.query_id AND l.source = s.source
UNION ALL
SELECT p.source, p.session_id, p.prompted_at, NULL
FROM wb.agent_prompts AS p
ANTI JOIN linked_prompts AS l ON l.prompt_id = p.prompt_id
WHERE p.prompted_at IS NOT NULL
