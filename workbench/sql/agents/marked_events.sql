-- In:  marks (query_id, uri, said).
-- Out: the events of those memories, marked as used, as the server marks them.
UPDATE recall_events
SET used_in_answer = true, metadata = json_merge_patch(metadata, marks.said)
FROM marks
WHERE recall_events.query_id = marks.query_id AND recall_events.node_uri = marks.uri
