-- In:  prompts (query_no, query_id, searchable, corpus_at), corpus_views, word_views (query_no, place, pairs: of the views that share
--      words with the prompt at least the $row_limit best, with their number of (lexeme, position) pairs), text_hits
--      (query_no, text_no, literal), lexical_ranks (pairs, rank); the bound values $row_limit, $domain, $gist_weight,
--      $question_weight.
-- Out: the rows of the lexical signal of each prompt, best first, at most $row_limit. raw_score is the rank of the
--      number of pairs (recall semantics, section 9); a view that only contains the prompt has 0.
SELECT
    query_no,
    query_id,
    'lexical' AS signal,
    row_number() OVER (PARTITION BY query_no ORDER BY raw_score::FLOAT * weight::FLOAT DESC, place) AS rank,
    uri,
    view_type,
    raw_score,
    weight,
    priority,
    updated_at,
    cue_terms,
    fts_hit,
    text_hit,
    uri_hit,
    NOT fts_hit AND NOT literal AS wildcard_only
FROM (
    SELECT
        p.query_no,
        p.query_id,
        v.* REPLACE (
            coalesce(
                CASE v.view_type WHEN 'gist' THEN $gist_weight::DOUBLE ELSE $question_weight::DOUBLE END,
                v.weight, 1
            ) AS weight,
            CASE WHEN v.updated_at > p.corpus_at THEN coalesce(v.earlier_at, v.updated_at) ELSE v.updated_at END
                AS updated_at
        ),
        coalesce(r.rank, 0) AS raw_score,
        m.pairs > 0 AS fts_hit,
        m.text_hit,
        m.uri_hit,
        m.literal
    FROM (
        SELECT
            query_no,
            place,
            sum(pairs)::INTEGER AS pairs,
            bool_or(part = 'text') AS text_hit,
            bool_or(part = 'uri') AS uri_hit,
            bool_or(literal) AS literal
        FROM (
            SELECT query_no, place, pairs, 'word' AS part, true AS literal
            FROM word_views
            UNION ALL
            SELECT h.query_no, v.place, 0, 'text', h.literal
            FROM text_hits AS h
            JOIN corpus_views AS v ON v.text_no = h.text_no
            UNION ALL
            SELECT h.query_no, v.place, 0, 'uri', h.literal
            FROM text_hits AS h
            JOIN corpus_views AS v ON v.uri_no = h.text_no
        )
        GROUP BY query_no, place
    ) AS m
    JOIN prompts AS p ON p.query_no = m.query_no AND p.searchable
    JOIN corpus_views AS v ON v.place = m.place
    LEFT JOIN lexical_ranks AS r ON r.pairs = m.pairs AND m.pairs > 0
    WHERE ($domain::VARCHAR IS NULL OR v.domain = $domain::VARCHAR)
        AND (p.corpus_at IS NULL OR v.valid_from <= p.corpus_at AND p.corpus_at < v.valid_to)
)
QUALIFY rank <= $row_limit::INTEGER
