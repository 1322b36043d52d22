-- In:  attributed (attributed.sql), to_derive (query_id), recall_query_candidates with what derived_candidates.sql made.
-- Out: rows of recall_queries for queries that no source holds: the text is that of the latest event, the time that of
--      the first; counts are those of the candidates.
SELECT
    t.query_id,
    arg_max(t.query_text, (t.latest, t.greatest_id)) AS query_text,
    any_value(t.session_id) AS session_id,
    any_value(t.client_type) AS client_type,
    any_value(c.merged_count) AS merged_count,
    any_value(c.shown_count) AS shown_count,
    any_value(c.used_count) AS used_count,
    min(t.earliest) AS created_at
FROM (
    SELECT
        a.query_id,
        a.query_text,
        any_value(a.session_id) AS session_id,
        any_value(a.client_type) AS client_type,
        min(a.created_at) AS earliest,
        max(a.created_at) AS latest,
        max(try_cast(a.id AS BIGINT)) AS greatest_id
    FROM attributed AS a
    SEMI JOIN to_derive AS d ON d.query_id = a.query_id
    GROUP BY a.query_id, a.query_text
) AS t
JOIN (
    SELECT
        k.query_id,
        count(*) AS merged_count,
        count(*) FILTER (k.selected) AS shown_count,
        count(*) FILTER (k.used_in_answer) AS used_count
    FROM recall_query_candidates AS k
    SEMI JOIN to_derive AS d ON d.query_id = k.query_id
    GROUP BY k.query_id
) AS c ON c.query_id = t.query_id
GROUP BY t.query_id
ORDER BY min(t.earliest), t.query_id
