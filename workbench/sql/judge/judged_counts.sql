-- In:  log (judge.sql), beyond, prompts.
-- Out: one row: how many prompts, shown pairs, pairs by label, marked pairs by kind of mark, late prompts, pairs answered
--      yes or no by hand among the shown ones, and what is known of pairs that were not shown.
SELECT
    (SELECT count(*) FROM prompts),
    count(*),
    count(*) FILTER (label = 'used'),
    count(*) FILTER (label = 'shown_unused'),
    count(*) FILTER (label = 'unknown'),
    count(*) FILTER (mark = 'linked'),
    count(*) FILTER (mark = 'blanket'),
    (SELECT count(*) FROM prompts WHERE late),
    count(*) FILTER (answer IN ('yes', 'no')),
    (SELECT count(*) FROM beyond WHERE label = 'helpful'),
    (SELECT count(*) FROM beyond WHERE label = 'unhelpful')
FROM log
