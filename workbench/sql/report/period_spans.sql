-- In:  periods (prompts with period 1 or 2).
-- Out: one row: prompts, first and last time of period 1, and the same of period 2.
SELECT
    count(*) FILTER (period = 1),
    min(now) FILTER (period = 1)::VARCHAR,
    max(now) FILTER (period = 1)::VARCHAR,
    count(*) FILTER (period = 2),
    min(now) FILTER (period = 2)::VARCHAR,
    max(now) FILTER (period = 2)::VARCHAR
FROM periods
