-- In:  tune_sides (sessions.sql); $side.
-- Out: the queries of one side, as a selection.
SELECT query_id, session_key
FROM tune_sides
WHERE side = $side::VARCHAR
