-- In:  ranked_input (query_id, uri, score, priority, uri_order, is_boot, …): scored candidates, all of them or only
--      those that reach the threshold (the shown sets are the same); the bound values $slice (candidates looked at),
--      $max_display_items, $min_display_score, $min_score, $exclude_boot.
-- Out: ranked_input plus ranked_position (1 is the best), shown, displayed_position and suppressed_by: NULL where
--      shown, else boot, score, limit (the display was full) or slice (behind the candidates that are looked at).
SELECT
    * EXCLUDE (passes, place, places),
    ranked_position <= $slice::INTEGER AND passes AND place <= places AS shown,
    CASE WHEN shown THEN place END AS displayed_position,
    CASE
        WHEN shown THEN NULL
        WHEN ranked_position > $slice::INTEGER THEN 'slice'
        WHEN place > places OR (NOT passes AND place = places) THEN 'limit'
        WHEN is_boot AND $exclude_boot::BOOLEAN THEN 'boot'
        ELSE 'score'
    END AS suppressed_by
FROM (
    SELECT
        *,
        greatest(1, $max_display_items::INTEGER) AS places,
        row_number() OVER best_first AS ranked_position,
        count(*) FILTER (passes) OVER (best_first ROWS UNBOUNDED PRECEDING) AS place
    FROM (
        SELECT
            *,
            score >= $min_display_score::DOUBLE AND NOT (is_boot AND $exclude_boot::BOOLEAN) AS passes
        FROM ranked_input
        WHERE score >= $min_score::DOUBLE
    )
    WINDOW best_first AS (PARTITION BY query_id ORDER BY score DESC, priority, uri_order)
)
