-- In:  ranked (display.sql over the simulated signals), signal_rows (with flags), sim_prompts.
-- Out: one row a (query_id, uri): the part of the logged metadata that all signal rows of a candidate share, as JSON
--      members with a leading comma.
SELECT
    r.query_id,
    r.uri,
    concat(
        ',"matched_on":', to_json(s.matched_on),
        ',"session_id":', to_json(p.session_id),
        ',"client_type":', to_json(p.client_type),
        ',"retrieval_meta":', to_json({
            'model': 'simulated',
            'strategy': 'raw_plus_lex_damp',
            'view_types': ['gist', 'question'],
            'query_chars': p.query_chars,
            'query_tokens': p.query_tokens,
            'query_truncated': p.truncated,
            'query_char_limit': 200,
            'original_query_chars': length(p.text),
            'recency_enabled': true,
            'exact_candidates': n.exact_candidates,
            'glossary_semantic_candidates': n.glossary_semantic_candidates,
            'dense_candidates': n.dense_candidates,
            'lexical_candidates': n.lexical_candidates
        }),
        ',"ranked_position":', to_json(r.ranked_position),
        ',"displayed_position":', coalesce(to_json(r.displayed_position), 'null'),
        ',"score_breakdown":', to_json({
            'exact': round(r.c_exact, 6),
            'glossary_semantic': round(r.c_glossary_semantic, 6),
            'semantic': round(r.c_dense, 6),
            'lexical': round(r.c_lexical, 6),
            'lexical_damp': round(r.lexical_damp, 6),
            'view': round(r.c_view, 6),
            'priority': round(r.c_priority, 6),
            'multi_view': round(r.c_multi_view, 6),
            'recency': round(r.c_recency, 6)
        })
    ) AS candidate_part
FROM ranked AS r
JOIN sim_prompts AS p ON p.query_id = r.query_id
JOIN (
    SELECT
        query_id,
        uri,
        list_filter([
            CASE WHEN bool_or(signal = 'dense') THEN 'dense' END,
            CASE WHEN bool_or(signal = 'exact') THEN 'exact' END,
            CASE WHEN bool_or(signal = 'lexical' AND flags & 1 > 0) THEN 'fts' END,
            CASE WHEN bool_or(signal = 'exact' AND flags & 2 > 0) THEN 'glossary' END,
            CASE WHEN bool_or(signal = 'exact' AND flags & 16 > 0) THEN 'glossary_fts' END,
            CASE WHEN bool_or(signal = 'glossary_semantic') THEN 'glossary_semantic' END,
            CASE WHEN bool_or(signal = 'exact' AND flags & 4 > 0) THEN 'glossary_text' END,
            CASE WHEN bool_or(signal = 'lexical') THEN 'lexical' END,
            CASE WHEN bool_or(signal = 'exact' AND flags & 1 > 0) THEN 'path' END,
            CASE WHEN bool_or(signal = 'exact' AND flags & 8 > 0) THEN 'query_contains_glossary' END,
            CASE WHEN bool_or(signal = 'lexical' AND flags & 2 > 0) THEN 'text' END,
            CASE WHEN bool_or(signal = 'lexical' AND flags & 4 > 0) THEN 'uri' END
        ], lambda reason: reason IS NOT NULL) AS matched_on
    FROM signal_rows
    GROUP BY query_id, uri
) AS s ON s.query_id = r.query_id AND s.uri = r.uri
JOIN (
    SELECT
        query_id,
        count(*) FILTER (signal = 'exact') AS exact_candidates,
        count(*) FILTER (signal = 'glossary_semantic') AS glossary_semantic_candidates,
        count(*) FILTER (signal = 'dense') AS dense_candidates,
        count(*) FILTER (signal = 'lexical') AS lexical_candidates
    FROM signal_rows
    GROUP BY query_id
) AS n ON n.query_id = r.query_id
