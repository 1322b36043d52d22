-- In:  ranked (display.sql over the simulated signals), sim_prompts, sim_memories, sim_used, signal_rows (with keyword).
-- Out: the rows of recall_events, one a signal row, with the metadata that a server logs.
SELECT
    row_number() OVER (ORDER BY p.query_no, s.arrival)::VARCHAR AS id,
    p.text AS query_text,
    s.uri AS node_uri,
    s.signal AS retrieval_path,
    s.view_type,
    (s.raw_score * s.weight)::FLOAT AS pre_rank_score,
    r.score::FLOAT AS final_rank_score,
    r.shown AS selected,
    u.query_id IS NOT NULL AS used_in_answer,
    to_json({
        'query_id': p.query_id,
        'cue_terms': CASE WHEN s.keyword IS NULL THEN m.keywords ELSE [s.keyword] END,
        'raw_score': s.raw_score,
        'session_id': p.session_id,
        'client_type': p.client_type,
        'source_weight': s.weight,
        'retrieval_meta': {
            'model': 'simulated',
            'strategy': 'raw_plus_lex_damp',
            'query_tokens': p.query_tokens,
            'query_chars': p.query_chars,
            'original_query_chars': length(p.text),
            'query_truncated': p.truncated,
            'query_char_limit': 200,
            'recency_enabled': true
        },
        'ranked_position': r.ranked_position,
        'score_breakdown': {
            'exact': round(r.c_exact, 6),
            'glossary_semantic': round(r.c_glossary_semantic, 6),
            'semantic': round(r.c_dense, 6),
            'lexical': round(r.c_lexical, 6),
            'lexical_damp': round(r.lexical_damp, 6),
            'view': round(r.c_view, 6),
            'priority': round(r.c_priority, 6),
            'multi_view': round(r.c_multi_view, 6),
            'recency': round(r.c_recency, 6)
        },
        'displayed_position': r.displayed_position,
        'answer_signal_source': u.source
    })::VARCHAR AS metadata,
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
LEFT JOIN sim_used AS u ON u.query_id = s.query_id AND u.uri = s.uri
ORDER BY p.query_no, s.arrival
