-- In:  score (score.sql over the engine's candidates and the documents that no signal returned), engine_cues, found (uri,
--      content_score: what the content of a memory adds), documents; the bound values $content_weight and $limit.
-- Out: the results of a search, best first: the score of recall plus the weighted content score, ties as in recall.
SELECT
    s.uri,
    split_part(s.uri, '://', 1) AS domain,
    substr(s.uri, strpos(s.uri, '://') + 3) AS path,
    s.priority,
    d.disclosure,
    round(s.score + coalesce(f.content_score, 0) * $content_weight::DOUBLE, 6) AS total,
    d.content,
    f.content_score,
    coalesce(c.matched_on, []) AS matched_on,
    coalesce(c.cues, []) AS cues
FROM score AS s
LEFT JOIN engine_cues AS c ON c.uri = s.uri
LEFT JOIN found AS f ON f.uri = s.uri
LEFT JOIN documents AS d ON d.uri = s.uri
ORDER BY total DESC, s.priority, s.uri_order
LIMIT $limit::INTEGER
