-- In:  memory_parts (one row, the store's memory at $uri), memory_now; the bound values $uri, $query_id, $query_tokens,
--      $now.
-- Out: that memory as a candidate without a signal, in the shape of wb.logged_candidates.
SELECT
    $query_id::VARCHAR AS query_id,
    $uri::VARCHAR AS uri,
    p.node_uuid,
    p.gist_weight,
    p.question_weight,
    p.priority,
    'store' AS priority_source,
    CASE
        WHEN n.created_at IS NOT NULL THEN greatest(0, epoch_ms($now::TIMESTAMPTZ) - epoch_ms(n.created_at)) / 864e5
    END AS age_days,
    'memory' AS age_source,
    $query_tokens::INTEGER AS query_tokens,
    0 AS uri_order,
    $uri::VARCHAR IN (SELECT b.uri FROM boot_uris AS b) AS is_boot,
    false AS logged_shown,
    false AS used
FROM memory_parts AS p
LEFT JOIN memory_now AS n ON n.uri = $uri::VARCHAR
