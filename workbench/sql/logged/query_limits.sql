-- In:  wb.logged_queries, app_settings; the bound values $max_query_chars (the setting in force) and $default_query_chars
--      (the server's default).
-- Out: query_id, query_limit, limit_source: after how many UTF-16 units production cut each prompt: as logged with it, else
--      by the stored setting where that is not younger than the prompt, else the default.
SELECT
    query_id,
    CASE limit_source
        WHEN 'logged' THEN query_char_limit
        WHEN 'setting' THEN $max_query_chars::INTEGER
        ELSE $default_query_chars::INTEGER
    END AS query_limit,
    limit_source
FROM (
    SELECT
        l.query_id,
        l.query_char_limit,
        CASE
            WHEN l.query_char_limit > 0 THEN 'logged'
            WHEN s.stored AND NOT coalesce(s.updated_at > l.now, false) THEN 'setting'
            ELSE 'default'
        END AS limit_source
    FROM wb.logged_queries AS l
    CROSS JOIN (
        SELECT count(*) > 0 AS stored, max(updated_at) AS updated_at
        FROM app_settings
        WHERE key = 'recall.safety.max_query_chars'
    ) AS s
)
