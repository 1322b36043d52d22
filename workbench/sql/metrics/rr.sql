-- In:  lists.
-- Out: reciprocal rank a prompt: 1 over the place of the first used memory, 0 where none is shown. Prompts without a
--      used memory count only where an unknown one could be helpful (optional).
SELECT
    * EXCLUDE (first_used, first_unknown, last_unknown),
    coalesce(1e0 / list_position(list_filter(gains, lambda g: g IS NOT NULL), 1), 0) AS judged,
    coalesce(1e0 / first_used, 0) AS unhelpful,
    CASE WHEN used > 0 OR gone > 0 THEN unhelpful ELSE coalesce(1e0 / last_unknown, 0) END AS low,
    coalesce(1e0 / least(first_used, first_unknown), 0) AS high,
    (used > 0)::INTEGER AS judged_n,
    (used > 0)::INTEGER AS n,
    used = 0 AND (gone > 0 OR first_unknown IS NOT NULL) AS optional
FROM (
    SELECT
        *,
        list_position(gains, 1) AS first_used,
        list_min(list_filter(generate_series(1, len(gains)), lambda i: gains[i] IS NULL)) AS first_unknown,
        list_max(list_filter(generate_series(1, len(gains)), lambda i: gains[i] IS NULL)) AS last_unknown
    FROM lists
)
