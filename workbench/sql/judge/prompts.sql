-- In:  picked (query_id), wb.logged_queries; the bound values $timeout_ms and $hook_limit_ms (milliseconds) and
--      $hook_clients (runtimes whose hook has its own limit).
-- Out: one row a picked query. session_key is the resampling unit: a query without a session stands alone, start-up
--      pseudo-sessions are split by client and day. late: delivered to nobody, because it took longer than the limit
--      of its way in; a query that names no client is late only when both limits are over; no duration, not late.
SELECT
    query_id,
    now,
    coalesce(client_type, '') AS client,
    CASE
        WHEN session_id IS NULL THEN 'query ' || query_id
        WHEN session_id = 'boot' THEN concat_ws(' ', 'boot', client, strftime(timezone('UTC', now), '%Y-%m-%d'))
        ELSE 'session ' || session_id
    END AS session_key,
    coalesce(
        duration_ms > CASE
            WHEN client = '' THEN greatest($timeout_ms::INTEGER, $hook_limit_ms::INTEGER)
            WHEN list_contains($hook_clients::VARCHAR[], client) THEN $hook_limit_ms::INTEGER
            ELSE $timeout_ms::INTEGER
        END,
        false
    ) AS late
FROM wb.logged_queries
WHERE query_id IN (SELECT p.query_id FROM picked AS p)
