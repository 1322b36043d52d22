-- In:  pairs (pairs.sql).
-- Out: one row a side: how many pairs are helpful, unhelpful and open; how many were answered by hand, with yes and with
--      no. A pair answered with unsure is answered and nothing else: it stays out.
SELECT
    side,
    count(*) FILTER (helpful),
    count(*) FILTER (NOT helpful),
    count(*) FILTER (helpful IS NULL AND NOT answered),
    count(*) FILTER (answered),
    count(*) FILTER (answered AND helpful),
    count(*) FILTER (answered AND NOT helpful)
FROM pairs
GROUP BY side
ORDER BY side
