-- In:  lists; $k.
-- Out: share of the first k shown memories whose label is known. Prompts that show nothing do not count.
SELECT
    *,
    coalesce(list_count(gains[1:$k]) / nullif(len(gains[1:$k]), 0), 0) AS judged,
    judged AS unhelpful,
    judged AS low,
    judged AS high,
    (shown > 0)::INTEGER AS judged_n,
    (shown > 0)::INTEGER AS n,
    false AS optional
FROM lists
