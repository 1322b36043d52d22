-- In:  prompts (query_no, query_id, corpus_at), near_terms (query_no, place, similarity: of the nearest keywords of each prompt, all
--      that are as near as the last included), corpus_terms; the bound value $row_limit.
-- Out: the rows of the glossary_semantic signal of each prompt, nearest first, at most $row_limit: one row a keyword of
--      an address. raw_score is the similarity.
SELECT
    n.query_no,
    p.query_id,
    'glossary_semantic' AS signal,
    row_number() OVER (PARTITION BY n.query_no ORDER BY n.similarity DESC, n.place) AS rank,
    t.uri,
    n.similarity AS raw_score,
    t.keyword,
    t.priority,
    CASE WHEN t.updated_at > p.corpus_at THEN coalesce(t.earlier_at, t.updated_at) ELSE t.updated_at END
        AS updated_at,
    t.cue_terms
FROM near_terms AS n
JOIN prompts AS p ON p.query_no = n.query_no
JOIN corpus_terms AS t ON t.place = n.place
QUALIFY rank <= $row_limit::INTEGER
