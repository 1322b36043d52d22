-- In:  cues (cues.sql), wb.logged_candidates; $query_id.
-- Out: the memories that production showed for that query, as its block held them: score, uri, cues.
SELECT l.logged_score, l.uri, coalesce(c.cues, []) AS cues
FROM wb.logged_candidates AS l
LEFT JOIN cues AS c ON c.query_id = l.query_id AND c.uri = l.uri
WHERE l.query_id = $query_id AND l.logged_shown
ORDER BY coalesce(l.logged_displayed_position, l.logged_position), l.logged_score DESC, l.uri
