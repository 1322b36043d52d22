-- In:  prompts (query_no, query_id, folded, searchable, corpus_at), corpus_addresses, corpus_parts, corpus_keywords, texts,
--      text_hits (query_no, text_no, literal: the prompt occurs in the text, also without wildcards), keyword_hits
--      (query_no, text_no, literal: the keyword occurs in the prompt), word_addresses (query_no, place: the first
--      $row_limit addresses that share a word with the prompt), query_lexemes (query_no, lexeme), address_lexemes (place,
--      lexeme), phrase_hits (query_no, text_no); the bound values $row_limit and $domain.
-- Out: the rows of the exact signal of each prompt, best first, at most $row_limit (recall semantics, section 4): one row
--      an address. wildcard_only: without wildcards the row would be a weaker one, or none.
SELECT
    t.query_no,
    t.query_id,
    'exact' AS signal,
    t.rank,
    t.uri,
    t.raw_score,
    t.priority,
    t.updated_at,
    t.cue_terms,
    t.hits & 1 > 0 AS path_exact_hit,
    t.hits & 2 > 0 AS glossary_exact_hit,
    t.hits & 4 > 0 AS glossary_text_hit,
    t.hits & 8 > 0 AS query_contains_glossary_hit,
    t.hits & 16 > 0 OR EXISTS (
        SELECT 1
        FROM address_lexemes AS x
        JOIN query_lexemes AS l ON l.lexeme = x.lexeme
        WHERE x.place = t.place AND l.query_no = t.query_no
    ) OR EXISTS (
        SELECT 1
        FROM corpus_parts AS c
        JOIN phrase_hits AS h ON h.text_no = c.text_no
        WHERE c.place = t.place AND c.part = 'words' AND h.query_no = t.query_no
    ) AS glossary_fts_hit,
    t.raw_score > t.literal_score AS wildcard_only
FROM (
    SELECT *, row_number() OVER (PARTITION BY query_no ORDER BY raw_score DESC, place) AS rank
    FROM (
        SELECT
            p.query_no,
            p.query_id,
            a.*,
            h.hits,
            CASE
                WHEN h.hits & 1 > 0 THEN 1e0
                WHEN h.hits & 2 > 0 THEN 0.98e0
                WHEN h.hits & 4 > 0 THEN 0.90e0
                WHEN h.hits & 8 > 0 THEN 0.84e0
                WHEN h.hits & 16 > 0 THEN 0.78e0
                ELSE 0.72e0
            END AS raw_score,
            CASE
                WHEN h.hits & 1 > 0 THEN 1e0
                WHEN h.hits & 2 > 0 THEN 0.98e0
                WHEN h.hits & 64 > 0 THEN 0.90e0
                WHEN h.hits & 128 > 0 THEN 0.84e0
                WHEN h.hits & 16 > 0 THEN 0.78e0
                WHEN h.hits & 256 > 0 THEN 0.72e0
                ELSE 0e0
            END AS literal_score
        FROM (
            SELECT query_no, place, bit_or(hit) AS hits
            FROM (
                SELECT p.query_no, c.place, 1 AS hit
                FROM prompts AS p
                JOIN texts AS t ON t.folded = p.folded
                JOIN corpus_parts AS c ON c.text_no = t.text_no AND c.part IN ('uri', 'path')
                UNION ALL
                SELECT p.query_no, k.place, 2
                FROM prompts AS p
                JOIN texts AS t ON t.folded = p.folded
                JOIN corpus_keywords AS k ON k.text_no = t.text_no
                UNION ALL
                SELECT
                    h.query_no,
                    c.place,
                    CASE WHEN c.part = 'glossary' THEN 4 ELSE 32 END
                        | CASE WHEN NOT h.literal THEN 0 WHEN c.part = 'glossary' THEN 64 ELSE 256 END
                FROM text_hits AS h
                JOIN corpus_parts AS c ON c.text_no = h.text_no AND c.part IN ('glossary', 'uri', 'path')
                UNION ALL
                SELECT h.query_no, k.place, CASE WHEN h.literal THEN 136 ELSE 8 END
                FROM keyword_hits AS h
                JOIN corpus_keywords AS k ON k.text_no = h.text_no AND k.letters >= 2
                UNION ALL
                SELECT query_no, place, 16 FROM word_addresses
            )
            GROUP BY query_no, place
        ) AS h
        JOIN prompts AS p ON p.query_no = h.query_no AND p.searchable
        JOIN corpus_addresses AS a ON a.place = h.place
        WHERE ($domain::VARCHAR IS NULL OR a.domain = $domain::VARCHAR)
            AND (p.corpus_at IS NULL OR a.valid_from <= p.corpus_at AND p.corpus_at < a.valid_to)
    )
) AS t
WHERE t.rank <= $row_limit::INTEGER
