-- In:  tune_sides (sessions.sql), judged_prompts.
-- Out: one row: prompts of the training part, of the hold-out, and repeats left out; first and last day of the prompts.
SELECT
    count(*) FILTER (s.side = 'train'),
    count(*) FILTER (s.side = 'holdout'),
    count(*) FILTER (s.side = 'repeat'),
    min(p.now)::DATE::VARCHAR,
    max(p.now)::DATE::VARCHAR
FROM tune_sides AS s
JOIN judged_prompts AS p ON p.query_id = s.query_id
