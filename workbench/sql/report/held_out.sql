-- In:  sessions (tune/sessions.sql: which side of the split by time a query is on), log (judge.sql).
-- Out: used pairs of each session that tuning would hold out.
SELECT count(*) AS used
FROM log AS l
JOIN sessions AS s ON s.query_id = l.query_id
WHERE s.side = 'holdout' AND l.label = 'used'
GROUP BY s.session_key
ORDER BY used
