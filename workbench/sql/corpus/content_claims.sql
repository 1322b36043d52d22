-- In:  memories, nodes, memory_history, memory_views, node_endings, address_versions.
-- Out: claims of what a node's memory said when: node_uuid, valid_from, valid_to (NULL: still), strength, since, number,
--      memory_id, content, gone, assumed, doubt. strength 2: the node was deleted (gone); 1: a row of memories, from its
--      creation until its successor; 0: an event quotes the text. since, number, memory_id order rows of one strength: the
--      newest speaks. doubt: a deletion that nothing undoes, though the memory still stands; it claims no text.
SELECT
    node_uuid,
    coalesce(created_at, node_created_at, '-infinity'::TIMESTAMPTZ) AS valid_from,
    CASE
        WHEN NOT deprecated THEN NULL
        WHEN successor_at IS NOT NULL THEN successor_at
        ELSE coalesce(edited_at, ended_at, next_at, greatest(created_at, last_sign), created_at)
    END AS valid_to,
    1 AS strength,
    coalesce(created_at, 'infinity'::TIMESTAMPTZ) AS since,
    number,
    memory_id,
    content,
    false AS gone,
    created_at IS NULL OR (
        deprecated AND coalesce(successor_at, edited_at, ended_at) IS NULL
    ) AS assumed,
    false AS doubt
FROM (
    SELECT
        m.node_uuid,
        m.created_at,
        n.created_at AS node_created_at,
        coalesce(m.deprecated, false) AS deprecated,
        try_cast(m.id AS HUGEINT) AS number,
        m.id AS memory_id,
        m.content,
        lead(m.created_at) OVER (
            PARTITION BY m.node_uuid ORDER BY m.created_at, try_cast(m.id AS HUGEINT), m.id
        ) AS next_at,
        CASE WHEN s.created_at > m.created_at THEN s.created_at END AS successor_at,
        (
            SELECT min(h.moment)
            FROM memory_history AS h
            WHERE h.node_uuid = m.node_uuid AND h.moment > m.created_at AND h.before_content = m.content
                AND h.after_content <> m.content
        ) AS edited_at,
        (SELECT max(e.moment) FROM node_endings AS e WHERE e.node_uuid = m.node_uuid AND e.moment > m.created_at)
            AS ended_at,
        g.last_sign
    FROM memories AS m
    LEFT JOIN nodes AS n ON n.uuid = m.node_uuid
    LEFT JOIN memories AS s ON s.id = m.migrated_to
    LEFT JOIN (
        SELECT memory_id, max(moment) AS last_sign
        FROM (
            SELECT memory_id, updated_at AS moment FROM memory_views
            UNION ALL
            SELECT c.id, h.moment
            FROM memories AS c
            JOIN memory_history AS h ON h.node_uuid = c.node_uuid AND h.kind <> 'delete' AND h.after_content = c.content
            WHERE c.deprecated
            UNION ALL
            SELECT c.id, a.valid_to
            FROM memories AS c
            JOIN address_versions AS a ON a.node_uuid = c.node_uuid
            WHERE c.deprecated
        )
        GROUP BY memory_id
    ) AS g ON g.memory_id = m.id
)
UNION ALL
SELECT
    node_uuid, moment, revived_at, 2, moment, NULL, NULL, NULL, true, false, revived_at IS NULL AND still_active
FROM node_endings
UNION ALL
SELECT
    node_uuid,
    moment,
    coalesce(
        next_moment,
        (SELECT min(m.created_at) FROM memories AS m WHERE m.node_uuid = q.node_uuid AND m.created_at > q.moment),
        moment
    ),
    0, moment, number, NULL, content, false, next_moment IS NULL, false
FROM (
    SELECT
        node_uuid,
        moment,
        number,
        lead(moment) OVER told AS next_moment,
        coalesce(after_content, lead(before_content) OVER told) AS content
    FROM memory_history
    WHERE node_uuid IS NOT NULL AND (after_content IS NOT NULL OR before_content IS NOT NULL)
    WINDOW told AS (PARTITION BY node_uuid ORDER BY moment, number)
) AS q
WHERE content IS NOT NULL
UNION ALL
SELECT
    f.node_uuid,
    coalesce(CASE WHEN n.created_at < f.moment THEN n.created_at END, '-infinity'::TIMESTAMPTZ),
    f.moment,
    0, '-infinity'::TIMESTAMPTZ, 0, NULL, f.before_content, false, true, false
FROM (
    SELECT node_uuid, moment, before_content
    FROM memory_history
    WHERE node_uuid IS NOT NULL AND (after_content IS NOT NULL OR before_content IS NOT NULL)
    QUALIFY row_number() OVER (PARTITION BY node_uuid ORDER BY moment, number) = 1
) AS f
LEFT JOIN nodes AS n ON n.uuid = f.node_uuid
WHERE f.before_content IS NOT NULL
