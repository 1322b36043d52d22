-- In:  log (judge.sql), prompts (judge/prompts.sql).
-- Out: one row a (query_id, node) that production showed and of which it is known whether it was used: number from 0,
--      used, its session as a number, client, and place in the list (1 is the first).
SELECT
    (row_number() OVER (ORDER BY l.query_id, l.node) - 1)::BIGINT AS number,
    l.query_id,
    l.node,
    l.label = 'used' AS used,
    dense_rank() OVER (ORDER BY l.session_key)::BIGINT AS session,
    coalesce(l.client, '') AS client,
    l.logged_place AS place
FROM log AS l
SEMI JOIN prompts AS p ON p.query_id = l.query_id
WHERE l.label IN ('used', 'shown_unused')
