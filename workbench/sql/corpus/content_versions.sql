-- In:  content_claims.
-- Out: one row a version of a memory's text: node_uuid, memory_id (NULL: only an event quotes it), content, valid_from,
--      valid_to (exclusive; NULL: still), certainty. A node has at most one version at a time: the strongest claim, among
--      equals the newest row, by date and then by numeric id.
SELECT
    node_uuid,
    memory_id,
    content,
    min(valid_from) AS valid_from,
    CASE WHEN count(valid_to) = count(*) THEN max(valid_to) END AS valid_to,
    certainty
FROM (
    SELECT *, count(*) FILTER (changed) OVER (PARTITION BY node_uuid ORDER BY valid_from) AS version
    FROM (
        SELECT
            *,
            lag({'m': memory_id, 'c': content, 'k': certainty, 'to': valid_to}) OVER told
                IS DISTINCT FROM {'m': memory_id, 'c': content, 'k': certainty, 'to': valid_from} AS changed
        FROM (
            SELECT
                s.node_uuid,
                s.valid_from,
                s.valid_to,
                v.speaks.memory_id AS memory_id,
                v.speaks.content AS content,
                CASE WHEN v.speaks.assumed OR v.doubted THEN 'assumed' ELSE 'known' END AS certainty
            FROM (
                SELECT
                    node_uuid,
                    moment AS valid_from,
                    lead(moment) OVER (PARTITION BY node_uuid ORDER BY moment) AS valid_to
                FROM (
                    SELECT node_uuid, valid_from AS moment FROM content_claims
                    UNION
                    SELECT node_uuid, valid_to FROM content_claims WHERE valid_to IS NOT NULL
                )
            ) AS s
            JOIN (
                SELECT
                    b.node_uuid,
                    b.moment,
                    arg_max(
                        {'memory_id': c.memory_id, 'content': c.content, 'assumed': c.assumed, 'gone': c.gone},
                        (c.strength, c.since, c.number, c.memory_id)
                    ) FILTER (NOT c.doubt) AS speaks,
                    bool_or(c.doubt) AS doubted
                FROM (
                    SELECT node_uuid, valid_from AS moment FROM content_claims
                    UNION
                    SELECT node_uuid, valid_to FROM content_claims WHERE valid_to IS NOT NULL
                ) AS b
                JOIN content_claims AS c ON c.node_uuid = b.node_uuid
                    AND c.valid_from <= b.moment AND (c.valid_to IS NULL OR b.moment < c.valid_to)
                GROUP BY b.node_uuid, b.moment
            ) AS v ON v.node_uuid = s.node_uuid AND v.moment = s.valid_from
            WHERE NOT v.speaks.gone
        )
        WINDOW told AS (PARTITION BY node_uuid ORDER BY valid_from)
    )
)
GROUP BY node_uuid, version, memory_id, content, certainty
