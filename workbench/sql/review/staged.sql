-- In:  misses, placed, wb.logged_candidates, wb.logged_queries, tops (query_id, uri, source, name, score: the highest
--      score by any weights, by any settings), cut_hits, deep_rows, holdings, address_spans, memory_now, boot_uris,
--      addresses (node, uris), with_vector (query_id: prompts whose vector is known); the settings in force as bound
--      values, $slice and $row_limit.
-- Out: misses with the one stage that lost each, in the order of the pipeline, and what is known of it: candidate (the
--      address that came nearest), source (logged, engine or store: what tells the stage), rank, score, below_by,
--      crowd, searched (by the engine, because the log does not place it), signals (signal, rank and raw_score at any
--      depth), what the store held, and the present addresses.
SELECT
    m.*,
    CASE
        WHEN p.node IS NULL AND NOT t.there AND t.later IS NULL THEN 'not_stored'
        WHEN p.node IS NULL AND NOT t.there AND NOT coalesce(l.first_logged <= m.now, false) THEN 'created_later'
        WHEN NOT m.logged THEN 'recall_skipped'
        WHEN m.late THEN 'late'
        WHEN c.how IS NOT NULL AND NOT coalesce(p.is_boot, t.is_boot) THEN 'prompt_cut'
        WHEN coalesce(p.is_boot, t.is_boot) THEN 'boot'
        WHEN p.node IS NULL AND d.signals IS NOT NULL THEN 'row_limit'
        WHEN p.node IS NULL OR p.source = 'engine' AND p.engine_shows THEN 'not_a_candidate'
        WHEN p.rank > $slice::INTEGER THEN 'slice'
        WHEN p.score < $min_display_score::DOUBLE THEN 'threshold'
        WHEN len(p.crowd) >= greatest(1, $max_display_items::INTEGER) THEN 'crowded_out'
        -- The log shows fewer than the places of now: where a better one was shown, it took what places there were.
        WHEN len([c FOR c IN p.crowd IF c.score >= p.score]) > 0 THEN 'crowded_out'
        ELSE 'threshold'
    END AS stage,
    CASE
        WHEN stage IN ('not_stored', 'created_later', 'recall_skipped', 'late') THEN 'store'
        WHEN stage IN ('prompt_cut', 'row_limit', 'not_a_candidate') THEN 'engine'
        ELSE coalesce(p.source, 'store')
    END AS source,
    p.candidate,
    p.rank,
    p.score,
    CASE WHEN p.score < $min_display_score::DOUBLE THEN round($min_display_score::DOUBLE - p.score, 6) END AS below_by,
    r.by_weights,
    r.by_settings,
    p.crowd,
    coalesce(p.source = 'engine' AND p.engine_shows, false) AS engine_shows,
    m.logged AND NOT m.late AND p.source IS DISTINCT FROM 'logged' AS searched,
    c.how AS cut_how,
    c.unsearched,
    d.signals,
    t.later,
    t.ended,
    -- The log held the memory before the store says that it was written: its history does not reach back so far.
    CASE WHEN NOT t.there AND l.first_logged <= m.now THEN l.first_logged END AS logged_since,
    len(p.crowd) < greatest(1, $max_display_items::INTEGER) AS fewer_places,
    m.query_id IN (SELECT v.query_id FROM with_vector AS v) AS has_vector,
    h.keywords,
    h.views,
    h.compared_views,
    h.terms,
    h.compared_terms,
    coalesce(a.uris, [m.uri]) AS uris
FROM misses AS m
JOIN (
    SELECT
        m.query_id,
        m.node,
        coalesce(bool_or(m.now IS NULL OR s.valid_from <= m.now AND m.now < s.valid_to), false) AS there,
        min(s.valid_from) FILTER (s.valid_from > m.now) AS later,
        max(s.valid_to) FILTER (s.valid_to <= m.now) AS ended,
        coalesce(bool_or(b.uri IS NOT NULL), false) OR any_value(m.uri) IN (SELECT b.uri FROM boot_uris AS b) AS is_boot
    FROM misses AS m
    LEFT JOIN address_spans AS s ON s.node_uuid = m.node
    LEFT JOIN boot_uris AS b ON b.uri = s.uri
    GROUP BY m.query_id, m.node
) AS t ON t.query_id = m.query_id AND t.node = m.node
LEFT JOIN placed AS p ON p.query_id = m.query_id AND p.node = m.node
LEFT JOIN (
    SELECT
        query_id,
        uri,
        source,
        max(score) FILTER (name = 'by_weights') AS by_weights,
        max(score) FILTER (name = 'by_settings') AS by_settings
    FROM tops
    GROUP BY ALL
) AS r ON r.query_id = p.query_id AND r.uri = p.candidate AND r.source = p.source
LEFT JOIN (
    SELECT coalesce(d.node_uuid, d.uri) AS node, min(q.now) AS first_logged
    FROM wb.logged_candidates AS d
    JOIN wb.logged_queries AS q ON q.query_id = d.query_id
    WHERE coalesce(d.node_uuid, d.uri) IN (SELECT m.node FROM misses AS m)
    GROUP BY 1
) AS l ON l.node = m.node
LEFT JOIN cut_hits AS c ON c.query_id = m.query_id AND c.node = m.node
LEFT JOIN (
    SELECT query_id, node, list({'signal': signal, 'rank': rank, 'raw_score': raw_score} ORDER BY signal) AS signals
    FROM deep_rows
    GROUP BY ALL
) AS d ON d.query_id = m.query_id AND d.node = m.node
LEFT JOIN holdings AS h ON h.query_id = m.query_id AND h.node = m.node
LEFT JOIN addresses AS a ON a.node = m.node
