-- In:  keyword_events, last_event, held, memory_history, nodes.
-- Out: the facts that spans.sql takes, by node and keyword: the events; for a keyword of now whose last event does not
--      explain it, when it came; for one that is gone without an event, when it was last mentioned. Its own date counts
--      where no event tells of it, unless a rebuild reset it: then it is taken to be as old as its node. A keyword that
--      events only mention is taken to be there from its node's beginning to the last mention.
SELECT
    e.key,
    e.key.node AS node_uuid,
    e.moment,
    e.number,
    e.starts,
    e.implied,
    false AS assumed,
    coalesce(
        CASE WHEN g.created_at < e.moment THEN g.created_at END,
        CASE WHEN n.created_at < e.moment AND NOT e.implied THEN n.created_at END,
        '-infinity'::TIMESTAMPTZ
    ) AS earliest
FROM keyword_events AS e
LEFT JOIN held AS g ON g.key = e.key
LEFT JOIN nodes AS n ON n.uuid = e.key.node
UNION ALL
SELECT
    g.key,
    g.key.node,
    CASE
        WHEN l.key IS NOT NULL THEN greatest(g.created_at, l.moment)
        WHEN g.created_at IS NULL OR g.reset THEN coalesce(least(n.created_at, g.created_at), '-infinity'::TIMESTAMPTZ)
        ELSE g.created_at
    END,
    170141183460469231731687303715884105727,
    true,
    false,
    CASE WHEN l.key IS NOT NULL THEN coalesce(g.created_at <= l.moment, true) ELSE g.created_at IS NULL OR g.reset END,
    '-infinity'::TIMESTAMPTZ
FROM held AS g
LEFT JOIN last_event AS l ON l.key = g.key
LEFT JOIN nodes AS n ON n.uuid = g.key.node
WHERE l.key IS NULL OR NOT l.starts
UNION ALL
SELECT
    l.key,
    l.key.node,
    greatest(l.moment, (
        SELECT max(h.moment) + INTERVAL 1 MICROSECOND
        FROM memory_history AS h
        WHERE h.node_uuid = l.key.node AND list_contains(list_concat(h.before_keywords, h.after_keywords), l.key.keyword)
    )),
    170141183460469231731687303715884105727,
    false,
    false,
    true,
    '-infinity'::TIMESTAMPTZ
FROM last_event AS l
WHERE l.starts AND l.key NOT IN (SELECT g.key FROM held AS g)
UNION ALL
SELECT
    m.key,
    m.key.node,
    unnest([
        CASE WHEN n.created_at IS NULL THEN '-infinity'::TIMESTAMPTZ ELSE least(n.created_at, m.moment) END,
        m.moment + INTERVAL 1 MICROSECOND
    ]),
    0,
    unnest([true, false]),
    false,
    true,
    '-infinity'::TIMESTAMPTZ
FROM (
    SELECT {'node': h.node_uuid, 'keyword': k.keyword} AS key, max(h.moment) AS moment
    FROM memory_history AS h, unnest(list_concat(h.before_keywords, h.after_keywords)) AS k(keyword)
    WHERE h.node_uuid IS NOT NULL
    GROUP BY ALL
) AS m
LEFT JOIN nodes AS n ON n.uuid = m.key.node
WHERE m.key NOT IN (SELECT e.key FROM keyword_events AS e) AND m.key NOT IN (SELECT g.key FROM held AS g)
