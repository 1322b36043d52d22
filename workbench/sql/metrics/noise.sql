-- In:  lists.
-- Out: unhelpful memories shown, a prompt. Every prompt counts.
SELECT
    *,
    list_count(gains) - coalesce(list_sum(gains), 0) AS judged,
    shown - coalesce(list_sum(gains), 0) AS unhelpful,
    judged AS low,
    unhelpful AS high,
    1 AS judged_n,
    1 AS n,
    false AS optional
FROM lists
