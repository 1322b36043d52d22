-- In:  ranked (display.sql over the simulated signals), sim_prompts, sim_memories, sim_used (query_id, uri, source),
--      signal_rows (with keyword and flags), candidate_parts; $written: rows written before.
-- Out: the rows of recall_events, one a signal row, with the metadata that a server logs: parts that belong to one
--      signal, or to used memories, stand in those rows only.
SELECT
    ($written::BIGINT + row_number() OVER (ORDER BY p.query_no, s.arrival))::VARCHAR AS id,
    p.text AS query_text,
    s.uri AS node_uri,
    s.signal AS retrieval_path,
    s.view_type,
    (s.raw_score * s.weight)::FLOAT AS pre_rank_score,
    r.score::FLOAT AS final_rank_score,
    r.shown AS selected,
    u.query_id IS NOT NULL AS used_in_answer,
    concat(
        '{"query_id":', to_json(p.query_id),
        ',"cue_terms":', CASE WHEN s.keyword IS NULL THEN to_json(m.keywords) ELSE to_json([s.keyword]) END,
        ',"raw_score":', to_json(s.raw_score),
        c.candidate_part,
        CASE s.signal
            WHEN 'exact' THEN concat(
                ',"exact_flags":', to_json({
                    'path_exact_hit': s.flags & 1 > 0,
                    'glossary_exact_hit': s.flags & 2 > 0,
                    'glossary_text_hit': s.flags & 4 > 0,
                    'query_contains_glossary_hit': s.flags & 8 > 0
                }),
                ',"glossary_terms":', to_json(m.keywords)
            )
            WHEN 'glossary_semantic' THEN concat(',"glossary_terms":', to_json([s.keyword]))
            WHEN 'lexical' THEN concat(
                ',"lexical_flags":', to_json({
                    'fts_hit': s.flags & 1 > 0, 'text_hit': s.flags & 2 > 0, 'uri_hit': s.flags & 4 > 0
                }),
                ',"llm_refined":false'
            )
            ELSE ',"llm_refined":false'
        END,
        ',"source_weight":', to_json(s.weight),
        CASE WHEN u.query_id IS NOT NULL THEN concat(
            ',"answer_marked_at":"', strftime(p.now + INTERVAL 30 SECONDS, '%Y-%m-%dT%H:%M:%S.%gZ'),
            '","answer_session_id":', to_json(p.session_id),
            ',"answer_client_type":', to_json(p.client_type),
            ',"answer_signal_source":', to_json(u.source)
        ) END,
        '}'
    ) AS metadata,
    p.now AS created_at,
    p.query_id,
    p.session_id,
    p.client_type,
    r.ranked_position::INTEGER AS ranked_position,
    r.displayed_position::INTEGER AS displayed_position
FROM signal_rows AS s
JOIN ranked AS r ON r.query_id = s.query_id AND r.uri = s.uri
JOIN sim_prompts AS p ON p.query_id = s.query_id
JOIN sim_memories AS m ON m.uri = s.uri
JOIN candidate_parts AS c ON c.query_id = s.query_id AND c.uri = s.uri
LEFT JOIN sim_used AS u ON u.query_id = s.query_id AND u.uri = s.uri
ORDER BY p.query_no, s.arrival
