-- In:  shown_before and shown_after (query_id, uri, node_uuid: what the engine shows without and with the fix), misses,
--      tried (query_id: the prompts), judged_log; $node, the memory that is changed.
-- Out: one row: how many of the prompts missed it, in how many of those it is shown before and after, in how many others
--      it is newly shown or no longer shown, and how many shows of other memories go, of those how many were used, and come.
WITH before AS (SELECT DISTINCT query_id, coalesce(node_uuid, uri) AS node FROM shown_before),
after AS (SELECT DISTINCT query_id, coalesce(node_uuid, uri) AS node FROM shown_after),
changed AS (
    SELECT
        coalesce(b.query_id, a.query_id) AS query_id,
        coalesce(b.node, a.node) AS node,
        b.node IS NOT NULL AS was,
        a.node IS NOT NULL AS becomes,
        coalesce(b.node, a.node) = $node::VARCHAR AS own,
        m.query_id IS NOT NULL AS missed
    FROM before AS b
    FULL JOIN after AS a ON a.query_id = b.query_id AND a.node = b.node
    LEFT JOIN (SELECT query_id FROM misses WHERE node = $node::VARCHAR) AS m
        ON m.query_id = coalesce(b.query_id, a.query_id)
)
SELECT
    (
        SELECT count(*)::BIGINT
        FROM misses AS m
        SEMI JOIN tried AS t ON t.query_id = m.query_id
        WHERE m.node = $node::VARCHAR
    ) AS missed,
    count(*) FILTER (c.own AND c.missed AND c.was)::BIGINT AS shown_before,
    count(*) FILTER (c.own AND c.missed AND c.becomes)::BIGINT AS shown_after,
    count(*) FILTER (c.own AND NOT c.missed AND c.becomes AND NOT c.was)::BIGINT AS newly_shown,
    count(*) FILTER (c.own AND NOT c.missed AND c.was AND NOT c.becomes)::BIGINT AS no_longer_shown,
    count(*) FILTER (NOT c.own AND c.was AND NOT c.becomes)::BIGINT AS others_gone,
    count(*) FILTER (NOT c.own AND c.was AND NOT c.becomes AND l.label = 'used')::BIGINT AS used_gone,
    count(*) FILTER (NOT c.own AND c.becomes AND NOT c.was)::BIGINT AS others_come
FROM changed AS c
LEFT JOIN judged_log AS l ON l.query_id = c.query_id AND l.node = c.node
