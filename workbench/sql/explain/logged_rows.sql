-- In:  signal_rows (logged/signal_rows.sql), logged_events, recall_events.
-- Out: the logged signal rows of the touched queries in the shape that the engine gives its own: with keyword, flags (a
--      bit set of the reasons: exact 1 address or path, 2 keyword, 4 keywords contain the prompt, 8 the prompt contains
--      a keyword, 16 words; lexical 1 words, 2 text, 4 address; NULL where none were logged) and wildcard_only, which a
--      log does not tell.
SELECT
    r.*,
    l.keyword,
    CASE
        WHEN r.signal = 'exact' AND m.flags[1] IS NOT NULL THEN
            CASE WHEN m.flags[1] = 'true' THEN 1 ELSE 0 END + CASE WHEN m.flags[2] = 'true' THEN 2 ELSE 0 END
            + CASE WHEN m.flags[3] = 'true' THEN 4 ELSE 0 END + CASE WHEN m.flags[4] = 'true' THEN 8 ELSE 0 END
            + CASE WHEN contains(m.flags[8], '"glossary_fts"') THEN 16 ELSE 0 END
        WHEN r.signal = 'lexical' AND m.flags[5] IS NOT NULL THEN
            CASE WHEN m.flags[5] = 'true' THEN 1 ELSE 0 END + CASE WHEN m.flags[6] = 'true' THEN 2 ELSE 0 END
            + CASE WHEN m.flags[7] = 'true' THEN 4 ELSE 0 END
    END AS flags,
    NULL::BOOLEAN AS wildcard_only
FROM signal_rows AS r
JOIN logged_events AS l ON l.query_id = r.query_id AND l.arrival = r.arrival
LEFT JOIN (
    SELECT
        id,
        json_extract_string(metadata, [
            '$.exact_flags.path_exact_hit', '$.exact_flags.glossary_exact_hit', '$.exact_flags.glossary_text_hit',
            '$.exact_flags.query_contains_glossary_hit', '$.lexical_flags.fts_hit', '$.lexical_flags.text_hit',
            '$.lexical_flags.uri_hit', '$.matched_on'
        ]) AS flags
    FROM recall_events
    WHERE id IN (SELECT arrival::VARCHAR FROM logged_events)
) AS m ON m.id = r.arrival::VARCHAR
