-- In:  misses (review/misses.sql), wb.logged_candidates.
-- Out: the missed (query_id, node) of logged prompts that were candidates there, with their client, numbered from 0.
SELECT (row_number() OVER (ORDER BY query_id, node) - 1)::BIGINT AS number, query_id, node, client
FROM (
    SELECT DISTINCT m.query_id, m.node, m.client
    FROM misses AS m
    JOIN wb.logged_candidates AS c ON c.query_id = m.query_id AND coalesce(c.node_uuid, c.uri) = m.node
    WHERE m.logged
)
