-- In:  listed_flips (flips.sql), first_scored and second_scored (score.sql over the flipped candidates); $first_threshold and
--      $second_threshold, the lowest score that either configuration shows.
-- Out: flips with both scores, the terms that moved (largest move first), and the cause in words: the term that moved
--      most, or where no term moved the threshold, or else the places and the other memories.
SELECT
    * EXCLUDE (passes_first, passes_second),
    CASE
        WHEN first_score IS NULL THEN 'not a logged candidate'
        WHEN len(terms) > 0 THEN terms[1].term || ' ' || printf('%+.4f', terms[1].moved)
        WHEN passes_first <> passes_second
            THEN printf('threshold %.4g to %.4g', $first_threshold::DOUBLE, $second_threshold::DOUBLE)
        ELSE 'places or other memories'
    END AS cause
FROM (
    SELECT
        f.query_id,
        f.node,
        f.uri,
        f.label,
        f.first_place,
        f.second_place,
        a.score AS first_score,
        b.score AS second_score,
        a.score >= $first_threshold::DOUBLE AS passes_first,
        b.score >= $second_threshold::DOUBLE AS passes_second,
        list_sort(
            list_filter([
                {'size': abs(b.c_exact - a.c_exact), 'term': 'exact', 'moved': b.c_exact - a.c_exact},
                {'size': abs(b.c_glossary_semantic - a.c_glossary_semantic), 'term': 'glossary_semantic',
                    'moved': b.c_glossary_semantic - a.c_glossary_semantic},
                {'size': abs(b.c_dense - a.c_dense), 'term': 'dense', 'moved': b.c_dense - a.c_dense},
                {'size': abs(b.c_lexical - a.c_lexical), 'term': 'lexical', 'moved': b.c_lexical - a.c_lexical},
                {'size': abs(b.c_view - a.c_view), 'term': 'view', 'moved': b.c_view - a.c_view},
                {'size': abs(b.c_priority - a.c_priority), 'term': 'priority', 'moved': b.c_priority - a.c_priority},
                {'size': abs(b.c_multi_view - a.c_multi_view), 'term': 'multi_view',
                    'moved': b.c_multi_view - a.c_multi_view},
                {'size': abs(b.c_recency - a.c_recency), 'term': 'recency', 'moved': b.c_recency - a.c_recency}
            ], lambda t: t.size >= 5e-7),
            'DESC'
        ) AS terms
    FROM listed_flips AS f
    LEFT JOIN first_scored AS a ON a.query_id = f.query_id AND a.uri = f.uri
    LEFT JOIN second_scored AS b ON b.query_id = f.query_id AND b.uri = f.uri
)
ORDER BY label DESC, query_id, uri
