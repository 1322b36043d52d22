-- In:  log (judge.sql), beyond (beyond.sql), now_shown (query_id, uri, node_uuid, score, displayed_position: what a replay shows), prompts.
-- Out: one row a (query_id, node) that either list holds. outcome: used_kept, used_lost, unused_kept, removed (shown and
--      not used, now gone), newly_shown (never shown before: unknown), unjudged_kept and unjudged_removed (shown before,
--      evidence set aside); and where more than the log is known of a pair that was not shown: newly_helpful,
--      newly_unhelpful (now shown) and missed (helpful, still not shown). label is used, shown_unused or unknown, for the
--      last three helpful or unhelpful. place and logged_place count nodes, NULL where the list does not hold the node.
SELECT
    coalesce(l.query_id, s.query_id) AS query_id,
    coalesce(l.node, s.node) AS node,
    coalesce(s.uri, l.uri) AS uri,
    coalesce(l.label, 'unknown') AS label,
    CASE
        WHEN l.label IS NULL THEN 'newly_shown'
        WHEN l.label = 'helpful' THEN CASE WHEN s.node IS NULL THEN 'missed' ELSE 'newly_helpful' END
        WHEN l.label = 'unhelpful' THEN 'newly_unhelpful'
        WHEN l.label = 'used' THEN CASE WHEN s.node IS NULL THEN 'used_lost' ELSE 'used_kept' END
        WHEN l.label = 'shown_unused' THEN CASE WHEN s.node IS NULL THEN 'removed' ELSE 'unused_kept' END
        WHEN s.node IS NULL THEN 'unjudged_removed'
        ELSE 'unjudged_kept'
    END AS outcome,
    s.place,
    l.logged_place,
    s.score,
    p.client,
    p.session_key
FROM (
    SELECT query_id, node, uri, label, logged_place FROM log
    UNION ALL
    SELECT query_id, node, uri, label, NULL FROM beyond
) AS l
FULL JOIN (
    SELECT
        query_id,
        node,
        uri,
        score,
        row_number() OVER (PARTITION BY query_id ORDER BY displayed_position)::INTEGER AS place
    FROM (
        SELECT
            query_id,
            coalesce(node_uuid, uri) AS node,
            arg_min(uri, displayed_position) AS uri,
            max(score) AS score,
            min(displayed_position) AS displayed_position
        FROM now_shown
        GROUP BY ALL
    )
) AS s ON s.query_id = l.query_id AND s.node = l.node
JOIN prompts AS p ON p.query_id = coalesce(l.query_id, s.query_id)
WHERE s.node IS NOT NULL OR l.label <> 'unhelpful'
