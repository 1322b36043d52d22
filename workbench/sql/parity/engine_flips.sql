-- In:  parity_rows (engine_rows.sql).
-- Out: one row a query whose shown set differs from the logged one, with the most frequent cause among its rows that
--      differ. A query whose rows are all equal was shown with display settings of its own, as a request may carry them.
SELECT
    query_id,
    CASE
        WHEN bool_or(excluded <> 'not ranked by the server')
            THEN mode(excluded) FILTER (excluded <> 'not ranked by the server')
        WHEN count(*) FILTER (excluded IS NULL AND NOT equal) > 0
            THEN mode(cause) FILTER (excluded IS NULL AND NOT equal)
        ELSE 'display settings other than those in force'
    END AS cause
FROM parity_rows
GROUP BY query_id
HAVING bool_or(shown <> logged_shown)
