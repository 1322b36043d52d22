-- In:  answers, memory_now.
-- Out: one row a (query_id, node) that was answered by hand: uri, grade (yes, no, unsure), labelled_at, labelled_by,
--      expired: the memory's content is another one now, or gone. The newest answer counts; withdrawn ones are absent.
SELECT
    h.query_id,
    h.node,
    h.uri,
    h.grade,
    h.labelled_at,
    h.labelled_by,
    h.memory_digest IS NOT NULL AND NOT coalesce(list_contains(m.digests, h.memory_digest), false) AS expired
FROM (
    SELECT
        query_id,
        node,
        arg_max(uri, (labelled_at, label_id)) AS uri,
        arg_max(grade, (labelled_at, label_id)) AS grade,
        max(labelled_at) AS labelled_at,
        arg_max(coalesce(labelled_by, ''), (labelled_at, label_id)) AS labelled_by,
        nullif(arg_max(coalesce(memory_digest, ''), (labelled_at, label_id)), '') AS memory_digest
    FROM (
        SELECT l.* EXCLUDE (node_uuid), coalesce(l.node_uuid, a.node_uuid, l.uri) AS node
        FROM answers AS l
        LEFT JOIN (SELECT uri, any_value(node_uuid) AS node_uuid FROM memory_now GROUP BY uri) AS a ON a.uri = l.uri
    )
    GROUP BY query_id, node
) AS h
LEFT JOIN (
    SELECT node_uuid, list(DISTINCT md5(content)) AS digests FROM memory_now WHERE content IS NOT NULL GROUP BY node_uuid
) AS m ON m.node_uuid = h.node
WHERE h.grade <> 'withdrawn'
