-- In:  memory_now.
-- Out: the addresses that lead to an active memory now: span_no, uri, domain, path, node_uuid, priority, updated_at (when
--      the memory's text was written), valid_from and valid_to (always).
SELECT
    row_number() OVER (ORDER BY uri, node_uuid)::INTEGER AS span_no,
    uri,
    domain,
    path,
    node_uuid,
    coalesce(priority, 0) AS priority,
    created_at AS updated_at,
    '-infinity'::TIMESTAMPTZ AS valid_from,
    'infinity'::TIMESTAMPTZ AS valid_to
FROM memory_now
WHERE memory_id IS NOT NULL
