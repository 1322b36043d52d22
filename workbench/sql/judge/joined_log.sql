-- In:  placed_opens, linked_prompts, picked (query_id), wb.logged_queries, wb.logged_candidates, wb.agent_prompts,
--      wb.agent_recalls, wb.agent_searches, wb.agent_opens.
-- Out: one row a client: prompts (picked queries), seen (those that an agent was seen to ask), showing (those that showed a
--      memory), marks (shown memories marked by an open, once a prompt
--      under however many addresses), not_shown (marks on memories that were not shown), unmarked
--      (opens that the server counts and the log does not hold a mark of), transcripts (whether anything of what it did is
--      known).
WITH picks AS (
    SELECT q.query_id, coalesce(q.client_type, '') AS client
    FROM wb.logged_queries AS q
    SEMI JOIN picked AS p ON p.query_id = q.query_id
),
known AS (
    SELECT coalesce(client_type, '') AS client FROM wb.agent_prompts
    UNION
    SELECT coalesce(client_type, '') FROM wb.agent_recalls
    UNION
    SELECT coalesce(client_type, '') FROM wb.agent_searches
    UNION
    SELECT coalesce(client_type, '') FROM wb.agent_opens
)
SELECT
    c.client,
    count(p.query_id) AS prompts,
    count(p.query_id) FILTER (p.query_id IN (SELECT l.query_id FROM linked_prompts AS l)) AS seen,
    count(p.query_id) FILTER (m.shown > 0) AS showing,
    coalesce(sum(m.marks), 0)::BIGINT AS marks,
    coalesce(sum(m.not_shown), 0)::BIGINT AS not_shown,
    coalesce(sum(u.unmarked), 0)::BIGINT AS unmarked,
    c.client IN (SELECT k.client FROM known AS k) AS transcripts
FROM (SELECT client FROM picks UNION SELECT client FROM known) AS c
LEFT JOIN picks AS p ON p.client = c.client
LEFT JOIN (
    SELECT
        query_id,
        count(*) FILTER (logged_shown) AS shown,
        count(DISTINCT coalesce(node_uuid, uri)) FILTER (
            logged_shown AND used AND (mark_source IS NULL OR contains(mark_source, 'get_node'))
        ) AS marks,
        count(*) FILTER (used AND NOT logged_shown) AS not_shown
    FROM wb.logged_candidates
    WHERE logged_shown OR used
    GROUP BY query_id
) AS m ON m.query_id = p.query_id
LEFT JOIN (
    SELECT k.query_id, count(*) AS unmarked
    FROM placed_opens AS o
    JOIN wb.logged_candidates AS k ON k.query_id = trim(o.given_query_id) AND k.uri = o.address AND NOT k.used
    WHERE o.reason = 'counted'
    GROUP BY k.query_id
) AS u ON u.query_id = p.query_id
GROUP BY c.client
ORDER BY c.client
