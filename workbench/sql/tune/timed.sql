-- In:  judged_prompts (query_id, now, session_key), recall_queries.
-- Out: one row a query with the place of its session's first prompt in time, and its text without case and white space.
SELECT
    *,
    min(place) OVER (PARTITION BY session_key) AS first_place,
    count(*) OVER () AS total
FROM (
    SELECT
        p.query_id,
        p.session_key,
        regexp_replace(lower(r.query_text), '\s+', ' ', 'g') AS text,
        row_number() OVER (ORDER BY p.now NULLS FIRST, p.query_id) AS place
    FROM judged_prompts AS p
    JOIN recall_queries AS r ON r.query_id = p.query_id
)
