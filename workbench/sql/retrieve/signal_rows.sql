-- In:  retrieve_exact, retrieve_glossary, retrieve_dense, retrieve_lexical.
-- Out: every row that a signal returned, in the shape that merge.sql takes. arrival counts the rows of a prompt in the
--      server's order of signals; flags is a bit set of the reasons (exact: 1 address or path, 2 keyword, 4 keywords
--      contain the prompt, 8 the prompt contains a keyword, 16 words; lexical: 1 words, 2 text, 4 address).
SELECT
    query_id,
    signal,
    uri,
    NULL AS view_type,
    raw_score,
    1e0 AS weight,
    NULL AS keyword,
    priority,
    updated_at,
    rank::INTEGER AS arrival,
    cue_terms[1:6] AS cue_terms,
    path_exact_hit::INTEGER + 2 * glossary_exact_hit::INTEGER + 4 * glossary_text_hit::INTEGER
        + 8 * query_contains_glossary_hit::INTEGER + 16 * glossary_fts_hit::INTEGER AS flags,
    wildcard_only
FROM retrieve_exact
UNION ALL BY NAME
SELECT query_id, signal, uri, raw_score, 1e0 AS weight, keyword, priority, updated_at,
    1000 + rank::INTEGER AS arrival, cue_terms, false AS wildcard_only
FROM retrieve_glossary
UNION ALL BY NAME
SELECT query_id, signal, uri, view_type, raw_score, weight, priority, updated_at,
    2000 + rank::INTEGER AS arrival, cue_terms, false AS wildcard_only
FROM retrieve_dense
UNION ALL BY NAME
SELECT query_id, signal, uri, view_type, raw_score, weight, priority, updated_at,
    3000 + rank::INTEGER AS arrival, cue_terms,
    fts_hit::INTEGER + 2 * text_hit::INTEGER + 4 * uri_hit::INTEGER AS flags, wildcard_only
FROM retrieve_lexical
