-- In:  explained_rows (of one query: query_id, uri, signal, view_type, keyword, raw_score, weight, priority,
--      updated_at, arrival, flags, wildcard_only), memory_now, exact_tiers.
-- Out: every signal row: whether it is the one that counts for its signal, what it matched by (hits), the reason of an
--      exact row by its score, and whether it is over a day newer than the memory (an index row that was built later
--      makes the memory count as recent).
SELECT
    r.signal,
    r.uri,
    r.view_type,
    r.keyword,
    r.raw_score,
    coalesce(nullif(r.weight, 0), 1) AS weight,
    r.raw_score * coalesce(nullif(r.weight, 0), 1) AS weighted,
    row_number() OVER (
        PARTITION BY r.signal, r.uri ORDER BY r.raw_score * coalesce(nullif(r.weight, 0), 1) DESC, r.arrival
    ) = 1 AS counts,
    CASE
        WHEN r.signal = 'exact' THEN
            (SELECT t.words FROM exact_tiers AS t WHERE t.score = round(r.raw_score, 2))
        WHEN r.signal = 'lexical' THEN
            CASE
                WHEN r.flags & 1 > 0 THEN 'words in common'
                WHEN r.flags & 2 > 0 THEN 'the view contains the prompt'
                WHEN r.flags & 4 > 0 THEN 'the address contains the prompt'
            END
    END AS reason,
    r.priority,
    r.updated_at::VARCHAR AS updated_at,
    CASE WHEN r.flags IS NOT NULL THEN list_filter(
        CASE r.signal
            WHEN 'exact' THEN [
                CASE WHEN r.flags & 1 > 0 THEN 'path' END,
                CASE WHEN r.flags & 2 > 0 THEN 'glossary' END,
                CASE WHEN r.flags & 4 > 0 THEN 'glossary_text' END,
                CASE WHEN r.flags & 8 > 0 THEN 'query_contains_glossary' END,
                CASE WHEN r.flags & 16 > 0 THEN 'glossary_fts' END
            ]
            WHEN 'lexical' THEN [
                CASE WHEN r.flags & 1 > 0 THEN 'fts' END,
                CASE WHEN r.flags & 2 > 0 THEN 'text' END,
                CASE WHEN r.flags & 4 > 0 THEN 'uri' END
            ]
        END,
        lambda hit: hit IS NOT NULL
    ) END AS hits,
    r.wildcard_only,
    r.arrival,
    coalesce(r.updated_at > n.created_at + INTERVAL 1 DAY, false) AS newer_than_memory
FROM explained_rows AS r
LEFT JOIN memory_now AS n ON n.uri = r.uri
