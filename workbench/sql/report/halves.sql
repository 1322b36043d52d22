-- In:  prompts.
-- Out: the prompts with their period: 1 the older half of them, 2 the newer.
SELECT *, CASE WHEN 2 * row_number() OVER (ORDER BY now, query_id) > count(*) OVER () THEN 2 ELSE 1 END AS period
FROM prompts
