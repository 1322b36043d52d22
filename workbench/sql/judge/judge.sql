-- In:  prompts, wb.logged_candidates, hand_labels, opened (beyond.sql); $linked, $hand, $blanket, $late: what counts.
-- Out: one row a (query_id, node) that production showed. label is used, shown_unused, or unknown where the evidence
--      is set aside: a mark of a source that does not count is neither a use nor a non-use, and a late recall reached
--      nobody. A linked open is stronger than an answer by hand, that than an open without identifiers. uris counts the
--      addresses that it was shown under. mark tells the source: linked (one address named) or blanket (every shown memory of the
--      query marked by something other than an open). answer is the unexpired one by hand. logged_place counts nodes, 1
--      is the first.
SELECT
    query_id,
    node,
    uri,
    uris,
    CASE
        WHEN mark = 'linked' AND $linked::BOOLEAN THEN 'used'
        WHEN $hand::BOOLEAN AND answer = 'yes' THEN 'used'
        WHEN $hand::BOOLEAN AND answer = 'no' THEN 'shown_unused'
        WHEN by_itself THEN 'used'
        WHEN mark = 'blanket' AND $blanket::BOOLEAN THEN 'used'
        WHEN mark IS NOT NULL OR (late AND NOT $late::BOOLEAN) THEN 'unknown'
        ELSE 'shown_unused'
    END AS label,
    mark,
    answer,
    late,
    score,
    session_key,
    client,
    row_number() OVER (PARTITION BY query_id ORDER BY place, uri)::INTEGER AS logged_place
FROM (
    SELECT
        g.query_id,
        g.node,
        arg_min(g.uri, (place, g.uri)) AS uri,
        count(*) FILTER (logged_shown)::INTEGER AS uris,
        max(mark) FILTER (used) AS mark,
        any_value(late) AS late,
        max(logged_score) AS score,
        any_value(session_key) AS session_key,
        any_value(client) AS client,
        min(place) AS place,
        any_value(h.grade) AS answer,
        bool_or(o.node IS NOT NULL) AS by_itself
    FROM (
        SELECT
            c.query_id,
            coalesce(c.node_uuid, c.uri) AS node,
            c.uri,
            c.used,
            c.logged_shown,
            c.logged_score,
            p.late,
            p.session_key,
            p.client,
            coalesce(c.logged_displayed_position, c.logged_position, 2147483647) AS place,
            CASE
                WHEN c.mark_source IS NULL OR contains(c.mark_source, 'get_node') THEN 'linked'
                WHEN bool_and(c.used) OVER (PARTITION BY c.query_id) THEN 'blanket'
                ELSE 'linked'
            END AS mark
        FROM wb.logged_candidates AS c
        JOIN prompts AS p ON p.query_id = c.query_id
        WHERE c.logged_shown OR c.used
    ) AS g
    LEFT JOIN hand_labels AS h ON h.query_id = g.query_id AND h.node = g.node AND NOT h.expired
    LEFT JOIN opened AS o ON o.query_id = g.query_id AND o.node = g.node
    GROUP BY g.query_id, g.node
)
