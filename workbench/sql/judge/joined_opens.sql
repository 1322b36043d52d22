-- In:  placed_opens, turns, picked (query_id), wb.logged_queries.
-- Out: client, reason, and of its opens: opens, before (it came before its prompt), after (it came after the session's
--      next prompt), slashes (the address ended in a slash). Opens of a picked query count, by the query that they name, else by
--      their turn; and those of no logged query.
SELECT
    o.client,
    o.reason,
    count(*) AS opens,
    count(*) FILTER (o.at < g.at) AS before,
    count(*) FILTER (o.turn_at > g.at) AS after,
    count(*) FILTER (ends_with(trim(o.uri), '/')) AS slashes
FROM placed_opens AS o
LEFT JOIN wb.logged_queries AS q ON q.query_id = trim(o.given_query_id)
LEFT JOIN (
    SELECT source, session, query_id, min(turns.at) AS at FROM turns WHERE query_id IS NOT NULL GROUP BY ALL
) AS g ON g.source = o.source AND g.session = o.session AND g.query_id = q.query_id
WHERE coalesce(q.query_id, o.query_id) IS NULL
    OR coalesce(q.query_id, o.query_id) IN (SELECT p.query_id FROM picked AS p)
GROUP BY o.client, o.reason
ORDER BY o.client, o.reason
