-- In:  memory_views, address_spans; $restamp.
-- Out: the active views by the time in which their address led to their memory, valid_to exclusive: from the end of that on
--      a view that is still there goes on being recalled. A former address of a memory has the views of its present one.
--      earlier_at, with $restamp, is when the text of then was written: for a prompt from before the view's time stamp.
WITH active AS (
    SELECT *
    FROM memory_views
    WHERE coalesce(status, 'active') = 'active' AND view_type IN ('gist', 'question')
)
SELECT v.*, s.valid_from, s.valid_to, CASE WHEN $restamp::BOOLEAN THEN s.updated_at END AS earlier_at
FROM active AS v
JOIN address_spans AS s ON s.uri = v.uri AND s.node_uuid = v.node_uuid
UNION ALL
SELECT v.*, coalesce(e.ended, '-infinity'), 'infinity'::TIMESTAMPTZ, NULL
FROM active AS v
LEFT JOIN (SELECT uri, node_uuid, max(valid_to) AS ended FROM address_spans GROUP BY ALL) AS e
    ON e.uri = v.uri AND e.node_uuid = v.node_uuid
WHERE e.ended IS NULL OR isfinite(e.ended)
UNION ALL
SELECT
    v.* REPLACE (s.uri AS uri, s.domain AS domain, s.path AS path, s.priority AS priority),
    s.valid_from,
    s.valid_to,
    CASE WHEN $restamp::BOOLEAN THEN s.updated_at END
FROM address_spans AS s
JOIN active AS v ON v.node_uuid = s.node_uuid
    AND v.uri = (SELECT min(o.uri) FROM active AS o WHERE o.node_uuid = s.node_uuid)
WHERE isfinite(s.valid_to) AND NOT EXISTS (SELECT 1 FROM active AS o WHERE o.uri = s.uri AND o.node_uuid = s.node_uuid)
