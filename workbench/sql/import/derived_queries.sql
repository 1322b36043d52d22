-- In:  attributed (attributed.sql), to_derive (query_id).
-- Out: rows of recall_queries for queries that no source holds: the text is that of the latest event, the time that of
--      the first; counts are of distinct memories.
SELECT
    a.query_id,
    arg_max(a.query_text, (a.created_at, try_cast(a.id AS HUGEINT))) AS query_text,
    any_value(a.session_id) AS session_id,
    any_value(a.client_type) AS client_type,
    count(DISTINCT a.node_uri) AS merged_count,
    count(DISTINCT a.node_uri) FILTER (a.selected) AS shown_count,
    count(DISTINCT a.node_uri) FILTER (a.used_in_answer) AS used_count,
    min(a.created_at) AS created_at
FROM attributed AS a
SEMI JOIN to_derive AS d ON d.query_id = a.query_id
GROUP BY a.query_id
ORDER BY min(a.created_at), a.query_id
