-- In:  agent_sessions, wb.agent_prompts, wb.agent_recalls, recall_queries, traffic (the logged queries with their class).
-- Out: one row a logged query that an agent was seen to ask: query_id, source, session (the agent's), prompt_id and
--      recall_id (NULL: not seen), at (the agent's time), linked_by: query_id where the recall block names it or the
--      prompt itself is called so (those of the service are), else time: the prompt and the query of one session that are
--      nearest to each other, at most two minutes apart; one with the same text is nearer than any other.
WITH named AS (
    SELECT
        s.query_id,
        s.source,
        s.session,
        max(s.prompt_id) FILTER (q.traffic IN ('prompt', 'heartbeat')) AS prompt_id,
        max(s.recall_id) AS recall_id,
        min(coalesce(s.at, q.now)) AS at
    FROM (
        SELECT query_id, source, coalesce(session_id, given_session_id) AS session, prompt_id, recall_id, seen_at AS at
        FROM wb.agent_recalls
        UNION ALL
        SELECT prompt_id, source, session_id, prompt_id, NULL, prompted_at
        FROM wb.agent_prompts
    ) AS s
    JOIN traffic AS q ON q.query_id = s.query_id
    GROUP BY s.query_id, s.source, s.session
),
near AS (
    SELECT
        abs(epoch_us(p.prompted_at) - epoch_us(coalesce(n.at, q.now))) AS apart,
        trim(p.query_text) IS DISTINCT FROM trim(r.query_text) AS differs,
        q.query_id,
        p.source,
        p.session_id AS session,
        p.prompt_id,
        p.prompted_at,
        row_number() OVER (PARTITION BY p.prompt_id ORDER BY differs, apart, q.query_id) AS of_prompt,
        row_number() OVER (PARTITION BY p.source, q.query_id ORDER BY differs, apart, p.prompt_id) AS of_query
    FROM wb.agent_prompts AS p
    JOIN agent_sessions AS s ON s.source = p.source AND s.session = p.session_id
    JOIN traffic AS q ON q.session_id = s.logged_session
    JOIN recall_queries AS r ON r.query_id = q.query_id
    LEFT JOIN named AS n ON n.query_id = q.query_id AND n.source = p.source
    ANTI JOIN named AS k ON k.prompt_id = p.prompt_id
    WHERE apart <= 120e6
        AND n.prompt_id IS NULL
        AND (n.session IS NULL OR n.session = p.session_id)
        AND q.traffic IN ('prompt', 'heartbeat')
)
SELECT
    n.query_id,
    n.source,
    n.session,
    coalesce(n.prompt_id, t.prompt_id) AS prompt_id,
    n.recall_id,
    n.at,
    'query_id' AS linked_by
FROM named AS n
LEFT JOIN near AS t ON t.query_id = n.query_id AND t.source = n.source AND t.of_prompt = 1 AND t.of_query = 1
UNION ALL
SELECT t.query_id, t.source, t.session, t.prompt_id, NULL, t.prompted_at, 'time'
FROM near AS t
ANTI JOIN named AS n ON n.query_id = t.query_id AND n.source = t.source
WHERE t.of_prompt = 1 AND t.of_query = 1
