-- In:  engine_candidates, documents, found (uri, content_score); the bound values $query_id, $now, $query_tokens.
-- Out: engine_candidates, and the documents that only their content brought, without signals.
SELECT * FROM engine_candidates
UNION ALL BY NAME
SELECT
    $query_id::VARCHAR AS query_id,
    d.uri,
    d.node_uuid,
    d.priority,
    greatest(0, epoch_ms($now::TIMESTAMPTZ) - epoch_ms(d.updated_at)) / 864e5 AS age_days,
    $query_tokens::INTEGER AS query_tokens,
    1000000000 + d.place AS uri_order,
    false AS is_boot
FROM documents AS d
SEMI JOIN found AS f ON f.uri = d.uri
ANTI JOIN engine_candidates AS e ON e.uri = d.uri
