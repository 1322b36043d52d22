-- In:  prompts, log (judge.sql), beyond, wb.logged_candidates.
-- Out: the candidates of the prompts with what a ledger needs as small integers: query_id counts the prompts, pair is
--      the (query, node), part and client count session keys and clients; label is 1 used, 0 shown and not used,
--      -1 shown with the evidence set aside, NULL never shown; of the never shown 2 is known as helpful, -2 as unhelpful.
SELECT
    c.* EXCLUDE (query_id, node_uuid, logged_exact, logged_glossary_semantic, logged_dense, logged_lexical,
        logged_view, logged_priority, logged_multi_view, logged_recency, mark_source, priority_source, age_source),
    p.number AS query_id,
    p.number::BIGINT << 31 | n.number AS pair,
    p.session,
    p.client,
    CASE l.label
        WHEN 'used' THEN 1 WHEN 'shown_unused' THEN 0 WHEN 'unknown' THEN -1 WHEN 'helpful' THEN 2 WHEN 'unhelpful' THEN -2
    END::TINYINT AS label
FROM wb.logged_candidates AS c
JOIN (
    SELECT
        query_id,
        row_number() OVER (ORDER BY now, query_id)::INTEGER AS number,
        dense_rank() OVER (ORDER BY session_key)::INTEGER AS session,
        client
    FROM prompts
) AS p ON p.query_id = c.query_id
JOIN (
    SELECT node, row_number() OVER (ORDER BY node)::INTEGER AS number
    FROM (SELECT DISTINCT coalesce(node_uuid, uri) AS node FROM wb.logged_candidates)
) AS n ON n.node = coalesce(c.node_uuid, c.uri)
LEFT JOIN (
    SELECT query_id, node, label FROM log
    UNION ALL
    SELECT query_id, node, label FROM beyond
) AS l ON l.query_id = c.query_id AND l.node = coalesce(c.node_uuid, c.uri)
