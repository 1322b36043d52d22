-- In:  lists; $k.
-- Out: precision at k a prompt: used among the first k, over k. Every prompt counts.
SELECT
    *,
    coalesce(list_sum(list_filter(gains, lambda g: g IS NOT NULL)[1:$k]), 0) / $k AS judged,
    coalesce(list_sum(gains[1:$k]), 0) / $k AS unhelpful,
    unhelpful AS low,
    unhelpful + (len(gains[1:$k]) - list_count(gains[1:$k])) / $k AS high,
    1 AS judged_n,
    1 AS n,
    false AS optional
FROM lists
