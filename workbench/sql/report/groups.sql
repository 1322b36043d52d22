-- In:  prompts, log (judge.sql), exact_tiers, wb.logged_candidates; $by (client, day, week, domain, signal, position,
--      tier), $zone.
-- Out: one row a part: prompts (with client, day and week all of them, else those that show such a memory), how many
--      show nothing, and shown pairs by label. A pair counts in each signal that returned it, so signals overlap; tier is
--      its best exact match, in words.
SELECT
    coalesce(p.part, s.part) AS part,
    coalesce(p.prompts, s.prompts) AS prompts,
    coalesce(p.prompts - coalesce(s.prompts, 0), 0) AS silent_prompts,
    coalesce(s.shown, 0) AS shown,
    coalesce(s.used, 0) AS used,
    coalesce(s.shown_unused, 0) AS shown_unused,
    coalesce(s.unknown, 0) AS unknown
FROM (
    SELECT
        CASE $by::VARCHAR
            WHEN 'client' THEN client
            WHEN 'day' THEN strftime(timezone($zone::VARCHAR, now), '%Y-%m-%d')
            ELSE strftime(timezone($zone::VARCHAR, now), '%G-W%V')
        END AS part,
        count(*) AS prompts
    FROM prompts
    WHERE $by::VARCHAR IN ('client', 'day', 'week')
    GROUP BY part
) AS p
FULL JOIN (
    SELECT
        part,
        count(DISTINCT query_id) AS prompts,
        count(*) AS shown,
        count(*) FILTER (label = 'used') AS used,
        count(*) FILTER (label = 'shown_unused') AS shown_unused,
        count(*) FILTER (label = 'unknown') AS unknown
    FROM (
        SELECT
            l.query_id,
            l.label,
            unnest(CASE $by::VARCHAR
                WHEN 'client' THEN [l.client]
                WHEN 'day' THEN [strftime(timezone($zone::VARCHAR, q.now), '%Y-%m-%d')]
                WHEN 'week' THEN [strftime(timezone($zone::VARCHAR, q.now), '%G-W%V')]
                WHEN 'domain' THEN [split_part(l.uri, '://', 1)]
                WHEN 'position' THEN [printf('%02d', l.logged_place)]
                WHEN 'tier' THEN [coalesce(printf('%.2f ', c.exact) || coalesce(t.words, 'unknown tier'), 'no exact match')]
                ELSE coalesce(c.signals, [])
            END) AS part
        FROM log AS l
        JOIN prompts AS q ON q.query_id = l.query_id
        LEFT JOIN (
            SELECT
                d.query_id,
                coalesce(d.node_uuid, d.uri) AS node,
                round(nullif(max(d.exact), 0), 2) AS exact,
                list_filter(
                    [
                        CASE WHEN max(d.exact) > 0 THEN 'exact' END,
                        CASE WHEN max(d.glossary_semantic) > 0 THEN 'glossary_semantic' END,
                        CASE WHEN max(greatest(d.dense_gist, d.dense_question)) > 0 THEN 'dense' END,
                        CASE WHEN max(greatest(d.lexical_gist, d.lexical_question)) > 0 THEN 'lexical' END
                    ],
                    lambda signal: signal IS NOT NULL
                ) AS signals
            FROM wb.logged_candidates AS d
            WHERE $by::VARCHAR IN ('signal', 'tier') AND (d.logged_shown OR d.used)
            GROUP BY ALL
        ) AS c ON c.query_id = l.query_id AND c.node = l.node
        LEFT JOIN exact_tiers AS t ON t.score = c.exact
    )
    GROUP BY part
) AS s ON s.part = p.part
ORDER BY part
