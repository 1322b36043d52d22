-- In:  prompts (query_no, query_id, corpus_at), near_views (query_no, place, similarity: of the nearest views of each prompt, all
--      that are as near as the last included), corpus_views; the bound values $row_limit, $gist_weight,
--      $question_weight.
-- Out: the rows of the dense signal of each prompt, nearest first, at most $row_limit. raw_score is the similarity.
SELECT
    n.query_no,
    p.query_id,
    'dense' AS signal,
    row_number() OVER (PARTITION BY n.query_no ORDER BY n.similarity DESC, n.place) AS rank,
    v.uri,
    v.view_type,
    n.similarity AS raw_score,
    coalesce(CASE v.view_type WHEN 'gist' THEN $gist_weight::DOUBLE ELSE $question_weight::DOUBLE END, v.weight, 1)
        AS weight,
    v.priority,
    CASE WHEN v.updated_at > p.corpus_at THEN coalesce(v.earlier_at, v.updated_at) ELSE v.updated_at END
        AS updated_at,
    v.cue_terms
FROM near_views AS n
JOIN prompts AS p ON p.query_no = n.query_no
JOIN corpus_views AS v ON v.place = n.place
QUALIFY rank <= $row_limit::INTEGER
