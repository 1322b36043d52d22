-- In:  display (display.sql over numbered candidates); $last, the number of the last judged pair.
-- Out: one row: one bit for each judged pair of the log, set where the configuration shows it (NULL where it shows none);
--      how many shown (query, memory) pairs the log never showed, and how many are set aside.
SELECT
    bitstring_agg(judged_number, 0, $last::INTEGER),
    count(*) FILTER (label IS NULL),
    count(*) FILTER (label = -1)
FROM (
    SELECT pair, any_value(judged_number) AS judged_number, any_value(label) AS label
    FROM display
    WHERE shown
    GROUP BY pair
)
