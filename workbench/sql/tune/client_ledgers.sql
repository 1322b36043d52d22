-- In:  display (display.sql over labelled candidates of what can be shown), labelled (labelled.sql).
-- Out: one row a client: its pairs that the configuration shows, keeps, loses, removes and newly shows, as in a ledger.
SELECT
    coalesce(p.client, '') AS client,
    count(s.pair) AS shown,
    count(s.pair) FILTER (p.label = 1) AS used_kept,
    count(*) FILTER (p.label = 1 AND s.pair IS NULL) AS used_lost,
    count(s.pair) FILTER (p.label = 0) AS unused_kept,
    count(*) FILTER (p.label = 0 AND s.pair IS NULL) AS removed,
    count(s.pair) FILTER (p.label IS NULL) AS newly_shown
FROM (
    SELECT pair, any_value(client) AS client, any_value(label) AS label
    FROM labelled
    GROUP BY pair
) AS p
LEFT JOIN (SELECT DISTINCT pair FROM display WHERE shown) AS s ON s.pair = p.pair
GROUP BY ALL
HAVING count(s.pair) + count(p.label) > 0
ORDER BY client
