-- In:  lists; $noise_cost.
-- Out: helpful memories shown less noise_cost for each unhelpful one, a prompt. Every prompt counts.
SELECT
    *,
    helpful - $noise_cost::DOUBLE * (list_count(gains) - helpful) AS judged,
    helpful - $noise_cost::DOUBLE * (shown - helpful) AS unhelpful,
    unhelpful AS low,
    judged + (shown - list_count(gains)) AS high,
    1 AS judged_n,
    1 AS n,
    false AS optional
FROM (SELECT *, coalesce(list_sum(gains), 0) AS helpful FROM lists)
