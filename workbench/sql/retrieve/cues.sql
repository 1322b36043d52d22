-- In:  signal_rows (query_id, uri, signal, arrival, cue_terms, flags).
-- Out: one row a (query_id, uri): cues, the first three cue terms in order of arrival without those that differ in case
--      alone, and matched_on, the names of what matched, sorted.
SELECT m.query_id, m.uri, coalesce(c.cues, []) AS cues, m.matched_on
FROM (
    SELECT query_id, uri, list_sort(list_distinct(flatten(list(reasons)))) AS matched_on
    FROM (
        SELECT
            query_id,
            uri,
            list_filter(
                CASE signal
                    WHEN 'exact' THEN [
                        'exact',
                        CASE WHEN flags & 1 > 0 THEN 'path' END,
                        CASE WHEN flags & 2 > 0 THEN 'glossary' END,
                        CASE WHEN flags & 4 > 0 THEN 'glossary_text' END,
                        CASE WHEN flags & 8 > 0 THEN 'query_contains_glossary' END,
                        CASE WHEN flags & 16 > 0 THEN 'glossary_fts' END
                    ]
                    WHEN 'lexical' THEN [
                        'lexical',
                        CASE WHEN flags & 1 > 0 THEN 'fts' END,
                        CASE WHEN flags & 2 > 0 THEN 'text' END,
                        CASE WHEN flags & 4 > 0 THEN 'uri' END
                    ]
                    ELSE [signal]
                END,
                lambda reason: reason IS NOT NULL
            ) AS reasons
        FROM signal_rows
    )
    GROUP BY query_id, uri
) AS m
LEFT JOIN (
    SELECT query_id, uri, list(cue ORDER BY arrival, position)[1:3] AS cues
    FROM (
        SELECT
            query_id,
            uri,
            arg_min(cue, (arrival, position)) AS cue,
            min((arrival, position))[1] AS arrival,
            min((arrival, position))[2] AS position
        FROM (
            SELECT query_id, uri, arrival, unnest(cue_terms) AS cue, generate_subscripts(cue_terms, 1) AS position
            FROM signal_rows
        )
        WHERE trim(cue) <> ''
        GROUP BY query_id, uri, lower(cue)
    )
    GROUP BY query_id, uri
) AS c ON c.query_id = m.query_id AND c.uri = m.uri
