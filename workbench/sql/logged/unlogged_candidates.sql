-- In:  unlogged, queries, recall_query_candidates, memory_now, identity, boot_uris.
-- Out: rows of wb.logged_candidates without signals: what production showed and what was used of it still counts.
SELECT
    c.query_id,
    c.node_uri AS uri,
    i.node_uuid,
    coalesce(n.priority, 0) AS priority,
    'assumed' AS priority_source,
    'none' AS age_source,
    q.query_tokens,
    row_number() OVER (PARTITION BY c.query_id ORDER BY icu_sort_key(c.node_uri, 'en_US'), c.node_uri)::INTEGER
        AS uri_order,
    c.node_uri IN (SELECT b.uri FROM boot_uris AS b) AS is_boot,
    c.final_rank_score::DOUBLE AS logged_score,
    c.selected AS logged_shown,
    c.ranked_position AS logged_position,
    c.displayed_position AS logged_displayed_position,
    c.used_in_answer AS used
FROM recall_query_candidates AS c
SEMI JOIN unlogged AS u ON u.query_id = c.query_id AND u.uri = c.node_uri
JOIN queries AS q ON q.query_id = c.query_id
LEFT JOIN memory_now AS n ON n.uri = c.node_uri
LEFT JOIN identity AS i ON i.uri = c.node_uri
    AND i.valid_from <= coalesce(q.now, 'infinity'::TIMESTAMPTZ)
    AND (i.valid_to IS NULL OR coalesce(q.now, 'infinity'::TIMESTAMPTZ) < i.valid_to)
