-- In:  flips (flips.sql), first_scored and second_scored (score.sql over the flipped candidates).
-- Out: flips with both scores and the cause: the term that moved most, or the display where no term moved.
SELECT
    f.query_id,
    f.uri,
    f.label,
    f.first_place,
    f.second_place,
    a.score AS first_score,
    b.score AS second_score,
    CASE
        WHEN a.score IS NULL THEN 'not a logged candidate'
        WHEN a.score = b.score THEN 'display: threshold, places or other memories'
        ELSE arg_max(t.term, abs(t.moved)) || ' ' || printf('%+.4f', arg_max(t.moved, abs(t.moved)))
    END AS cause
FROM flips AS f
LEFT JOIN first_scored AS a ON a.query_id = f.query_id AND a.uri = f.uri
LEFT JOIN second_scored AS b ON b.query_id = f.query_id AND b.uri = f.uri
LEFT JOIN LATERAL (
    SELECT unnest([
        {'term': 'exact', 'moved': b.c_exact - a.c_exact},
        {'term': 'glossary_semantic', 'moved': b.c_glossary_semantic - a.c_glossary_semantic},
        {'term': 'dense', 'moved': b.c_dense - a.c_dense},
        {'term': 'lexical', 'moved': b.c_lexical - a.c_lexical},
        {'term': 'view', 'moved': b.c_view - a.c_view},
        {'term': 'priority', 'moved': b.c_priority - a.c_priority},
        {'term': 'multi_view', 'moved': b.c_multi_view - a.c_multi_view},
        {'term': 'recency', 'moved': b.c_recency - a.c_recency}
    ], recursive := true)
) AS t ON true
GROUP BY f.query_id, f.uri, f.label, f.first_place, f.second_place, a.score, b.score
ORDER BY f.label DESC, f.query_id, f.uri
