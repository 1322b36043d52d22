-- In:  marks (query_id, uri).
-- Out: the ranked memories, marked as used.
UPDATE recall_query_candidates
SET used_in_answer = true
FROM marks
WHERE recall_query_candidates.query_id = marks.query_id AND recall_query_candidates.node_uri = marks.uri
