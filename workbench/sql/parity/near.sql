-- In:  compared (compared.sql over ranked candidates); the bound value $min_display_score.
-- Out: the compared rows, counted by excluded, equal and near: a row that is or was shown, may be shown, or is not equal
--      is near, with what display.sql and differing.sql read of it; of all others near is NULL, and they count together.
SELECT excluded, equal, near, count(*) AS rows
FROM (
    SELECT
        excluded,
        equal,
        CASE
            WHEN score >= $min_display_score::DOUBLE OR logged_shown OR excluded IS NULL AND NOT equal
                THEN struct_pack(query_id, uri, score, priority, uri_order, is_boot, logged_score, logged_shown)
        END AS near
    FROM compared
)
GROUP BY excluded, equal, near
