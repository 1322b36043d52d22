-- In:  prompts, log (judge.sql), exact_tiers, wb.logged_candidates; $by (client, day, week, domain, signal, position,
--      tier), $zone.
-- Out: the shown pairs, once a part. A pair is in each signal that returned it, so signals overlap; tier is its best exact
--      match, in words.
SELECT
    l.query_id,
    l.session_key,
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
