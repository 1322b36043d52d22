-- In:  labelled (labelled.sql: candidates with pair, label, client, session); $least, a number of pairs.
-- Out: one row a judged (query, memory) pair of the log, in order of pair, that is of time: used or not, its client, and
--      its stratum: whole consecutive sessions of one client with about $least judged pairs, or one larger session.
SELECT
    p.pair,
    p.used,
    p.client,
    dense_rank() OVER (ORDER BY p.client, s.before // $least::BIGINT) AS stratum
FROM (
    SELECT
        pair,
        any_value(label) = 1 AS used,
        coalesce(any_value(client), '') AS client,
        any_value(session) AS session
    FROM labelled
    WHERE label IN (0, 1)
    GROUP BY pair
) AS p
JOIN (
    SELECT client, session, sum(pairs) OVER (PARTITION BY client ORDER BY first_pair) - pairs AS before
    FROM (
        SELECT coalesce(client, '') AS client, session, count(DISTINCT pair) AS pairs, min(pair) AS first_pair
        FROM labelled
        WHERE label IN (0, 1)
        GROUP BY ALL
    )
) AS s ON s.client = p.client AND s.session = p.session
ORDER BY p.pair
