-- In:  wb.logged_candidates, wb.logged_queries, picked (query_id); $shown_only.
-- Out: query_id, uri, now, embedding_model, logged_shown: the candidates that the log names for the picked queries,
--      or those of them that were shown.
SELECT c.query_id, c.uri, q.now, nullif(q.embedding_model, '') AS embedding_model, c.logged_shown
FROM wb.logged_candidates AS c
JOIN wb.logged_queries AS q ON q.query_id = c.query_id
SEMI JOIN picked AS p ON p.query_id = c.query_id
WHERE c.logged_shown OR NOT $shown_only::BOOLEAN
