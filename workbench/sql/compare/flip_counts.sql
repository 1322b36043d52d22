-- In:  flips (flips.sql).
-- Out: one row: used or otherwise helpful memories that only the second configuration shows, that only the first shows, and all flips.
SELECT
    count(*) FILTER (label IN ('used', 'helpful') AND second_place IS NOT NULL),
    count(*) FILTER (label IN ('used', 'helpful') AND second_place IS NULL),
    count(*)
FROM flips
