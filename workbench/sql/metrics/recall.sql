-- In:  lists; $k.
-- Out: recall at k a prompt: used among the first k, over all used of the prompt, returned or not. Prompts without a
--      used memory count only where an unknown one could be helpful (optional). Range: lowest when the unknown within
--      the first k are unhelpful and the others helpful, highest the other way round.
SELECT
    * EXCLUDE (hits, unknown, outside),
    coalesce(list_sum(list_filter(gains, lambda g: g IS NOT NULL)[1:$k]), 0) / nullif(used, 0) AS judged,
    hits / nullif(used, 0) AS unhelpful,
    coalesce(hits / nullif(used + outside, 0), 1) AS low,
    coalesce((hits + unknown) / nullif(used + unknown, 0), 0) AS high,
    (used > 0)::INTEGER AS judged_n,
    (used > 0)::INTEGER AS n,
    used = 0 AND unknown + outside > 0 AS optional
FROM (
    SELECT
        *,
        coalesce(list_sum(gains[1:$k]), 0) AS hits,
        len(gains[1:$k]) - list_count(gains[1:$k]) AS unknown,
        gone + len(gains[$k + 1:]) - list_count(gains[$k + 1:]) AS outside
    FROM lists
)
