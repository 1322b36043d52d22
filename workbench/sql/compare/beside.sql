-- In:  first, second (the candidates of one query as display.sql ranks them, under two configurations), hand_labels,
--      opened (miss_evidence of the query), wb.logged_candidates; $query_id.
-- Out: one row a memory that the log or a replay ranks, best first under the first configuration: what each of the
--      three made of it, and what is known of its use: used, mark_source, opened (the grade of an open that the server
--      does not count), answer (by hand) and whether that expired.
SELECT
    coalesce(l.uri, f.uri, s.uri) AS uri,
    coalesce(l.node_uuid, f.node_uuid, s.node_uuid) AS node_uuid,
    l.logged_score,
    l.logged_position,
    coalesce(l.logged_shown, false) AS logged_shown,
    f.score AS replayed_score,
    f.ranked_position AS replayed_position,
    coalesce(f.shown, false) AS replayed_shown,
    s.score AS candidate_score,
    s.ranked_position AS candidate_position,
    coalesce(s.shown, false) AS candidate_shown,
    coalesce(l.used, false) AS used,
    l.mark_source,
    o.grade AS opened,
    h.grade AS answer,
    coalesce(h.expired, false) AS expired
FROM (SELECT * FROM wb.logged_candidates WHERE query_id = $query_id) AS l
FULL JOIN first AS f ON f.uri = l.uri
FULL JOIN second AS s ON s.uri = coalesce(l.uri, f.uri)
LEFT JOIN (SELECT * FROM hand_labels WHERE query_id = $query_id) AS h
    ON h.node = coalesce(l.node_uuid, f.node_uuid, s.node_uuid, l.uri, f.uri, s.uri)
LEFT JOIN opened AS o ON o.node = coalesce(l.node_uuid, f.node_uuid, s.node_uuid, l.uri, f.uri, s.uri)
ORDER BY replayed_position, logged_position, uri
