-- In:  log (judge.sql), prompts.
-- Out: one row: how many prompts, shown pairs, pairs by label, marked pairs by kind of mark, and late prompts.
SELECT
    (SELECT count(*) FROM prompts),
    count(*),
    count(*) FILTER (label = 'used'),
    count(*) FILTER (label = 'shown_unused'),
    count(*) FILTER (label = 'unknown'),
    count(*) FILTER (mark = 'linked'),
    count(*) FILTER (mark = 'blanket'),
    (SELECT count(*) FROM prompts WHERE late)
FROM log
