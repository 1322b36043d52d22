-- In:  address_versions, content_versions, memories.
-- Out: when which address led to which text of an active memory: the columns of address_spans_now.sql; valid_to is
--      exclusive.
SELECT row_number() OVER (ORDER BY uri, valid_from, node_uuid)::INTEGER AS span_no, *
FROM (
    SELECT
        a.uri,
        a.domain,
        a.path,
        a.node_uuid,
        coalesce(a.priority, 0) AS priority,
        coalesce(m.created_at, CASE WHEN isfinite(c.valid_from) THEN c.valid_from END) AS updated_at,
        greatest(a.valid_from, c.valid_from) AS valid_from,
        least(coalesce(a.valid_to, 'infinity'), coalesce(c.valid_to, 'infinity')) AS valid_to
    FROM address_versions AS a
    JOIN content_versions AS c ON c.node_uuid = a.node_uuid
    LEFT JOIN memories AS m ON m.id = c.memory_id
)
WHERE valid_from < valid_to
