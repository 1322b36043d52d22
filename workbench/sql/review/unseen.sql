-- In:  addresses (node, uris), nodes, memories, boot_uris, judged_prompts, wb.logged_candidates.
-- Out: one row an active memory that is no start-up memory: uris, created_at, prompts since then (all, where it has no
--      date) and days until the newest prompt; in how many prompts it was a candidate and was shown, and its best score.
WITH logged_addresses AS (
    SELECT
        coalesce(c.node_uuid, c.uri) AS node,
        c.uri,
        count(*) AS retrieved,
        count(*) FILTER (c.logged_shown) AS shown,
        max(c.logged_score) AS best
    FROM wb.logged_candidates AS c
    SEMI JOIN judged_prompts AS p ON p.query_id = c.query_id
    GROUP BY ALL
)
SELECT
    m.node,
    m.uris,
    m.created_at,
    coalesce(p.prompts, 0)::BIGINT AS prompts,
    date_diff('hour', m.created_at, (SELECT max(now) FROM judged_prompts)) / 24e0 AS days,
    coalesce(c.retrieved, 0)::BIGINT AS retrieved,
    coalesce(c.shown, 0)::BIGINT AS shown,
    c.best
FROM (
    SELECT a.node, a.uris, coalesce(any_value(n.created_at), min(o.created_at)) AS created_at
    FROM addresses AS a
    LEFT JOIN nodes AS n ON n.uuid = a.node
    LEFT JOIN memories AS o ON o.node_uuid = a.node
    WHERE NOT list_has_any(a.uris, (SELECT list(b.uri) FROM boot_uris AS b))
    GROUP BY ALL
) AS m
LEFT JOIN (
    SELECT a.node, count(*) AS prompts
    FROM (SELECT DISTINCT a.node, n.created_at FROM addresses AS a LEFT JOIN nodes AS n ON n.uuid = a.node) AS a
    JOIN judged_prompts AS p ON a.created_at IS NULL OR p.now IS NULL OR p.now >= a.created_at
    GROUP BY a.node
) AS p ON p.node = m.node
LEFT JOIN (
    -- Of a memory with one address each row is a prompt of its own; only prompts with several are told apart.
    SELECT
        a.node,
        CASE WHEN count(*) = 1 THEN sum(a.retrieved) ELSE any_value(d.retrieved) END AS retrieved,
        CASE WHEN count(*) = 1 THEN sum(a.shown) ELSE any_value(d.shown) END AS shown,
        max(a.best) AS best
    FROM logged_addresses AS a
    LEFT JOIN (
        SELECT
            coalesce(c.node_uuid, c.uri) AS node,
            count(DISTINCT c.query_id) AS retrieved,
            count(DISTINCT c.query_id) FILTER (c.logged_shown) AS shown
        FROM wb.logged_candidates AS c
        SEMI JOIN judged_prompts AS p ON p.query_id = c.query_id
        SEMI JOIN (SELECT node FROM logged_addresses GROUP BY node HAVING count(*) > 1) AS e
            ON e.node = coalesce(c.node_uuid, c.uri)
        GROUP BY ALL
    ) AS d ON d.node = a.node
    GROUP BY a.node
) AS c ON c.node = m.node
ORDER BY m.node
