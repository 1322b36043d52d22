-- In:  new_marks (query_id, uri, said: what the metadata is to say of the use); recall_query_candidates, recall_events;
--      the bound value $reported, the source of weak marks.
-- Out: those that change something: what is not marked yet, and an open where only a weak mark stands.
SELECT m.query_id, m.uri, m.said
FROM new_marks AS m
JOIN recall_query_candidates AS c ON c.query_id = m.query_id AND c.node_uri = m.uri AND c.selected
LEFT JOIN (
    SELECT query_id, node_uri, any_value(metadata ->> '$.answer_signal_source') AS source
    FROM recall_events
    WHERE query_id IN (SELECT n.query_id FROM new_marks AS n)
    GROUP BY ALL
) AS e ON e.query_id = m.query_id AND e.node_uri = m.uri
WHERE NOT c.used_in_answer
    OR (e.source = $reported::VARCHAR AND (m.said ->> '$.answer_signal_source') <> $reported::VARCHAR)
