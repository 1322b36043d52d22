-- In:  parity_rows.
-- Out: one row a query whose shown set differs from the logged one, with the cause. A logged display that is a prefix of
--      the ranking was made with other display settings (a request may carry its own).
SELECT
    query_id,
    CASE
        WHEN bool_or(excluded IN ('other scoring strategy', 'signals not in the log'))
            THEN any_value(excluded) FILTER (excluded IN ('other scoring strategy', 'signals not in the log'))
        WHEN bool_or(excluded IS NULL AND NOT equal) THEN any_value(cause) FILTER (excluded IS NULL AND NOT equal)
        WHEN max(place) FILTER (logged_shown) = count(*) FILTER (logged_shown)
            OR max(place_without_boot) FILTER (logged_shown AND NOT is_boot) = count(*) FILTER (logged_shown)
            OR count(*) FILTER (logged_shown) = 0
            THEN 'display settings other than those in force'
        WHEN bool_or(tied) FILTER (shown <> logged_shown) THEN 'collation'
        ELSE 'unexplained'
    END AS cause
FROM (
    SELECT
        *,
        row_number() OVER (PARTITION BY query_id ORDER BY ranked_position) AS place,
        CASE WHEN NOT is_boot THEN row_number() OVER (PARTITION BY query_id, is_boot ORDER BY ranked_position) END
            AS place_without_boot,
        count(*) OVER (PARTITION BY query_id, score, priority) > 1 AS tied
    FROM parity_rows
    WHERE logged_score IS NOT NULL
)
GROUP BY query_id
HAVING bool_or(shown <> logged_shown)
