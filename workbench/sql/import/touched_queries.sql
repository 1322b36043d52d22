-- In:  changed_recall_events (id), changed_recall_queries and changed_recall_query_candidates (query_id, …), to_derive,
--      attributed (attributed.sql).
-- Out: query_id of every query that an import added to or changed.
SELECT query_id FROM changed_recall_queries
UNION
SELECT query_id FROM changed_recall_query_candidates
UNION
SELECT query_id FROM to_derive
UNION
SELECT a.query_id
FROM attributed AS a
SEMI JOIN changed_recall_events AS c ON c.id = a.id
