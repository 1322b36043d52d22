-- In:  display (display.sql over labelled candidates).
-- Out: the (query, memory) pairs that a configuration shows, with their label (1 used, 0 shown and not used, -1 set
--      aside, NULL never shown before), in order of pair.
SELECT pair, any_value(label) AS label
FROM display
WHERE shown
GROUP BY pair
ORDER BY pair
