-- In:  flips (flips.sql).
-- Out: one row: used memories that only the second configuration shows, that only the first shows, and all flips.
SELECT
    count(*) FILTER (label = 'used' AND second_place IS NOT NULL),
    count(*) FILTER (label = 'used' AND second_place IS NULL),
    count(*)
FROM flips
