-- In:  lists.
-- Out: used and shown, counted by prompt: the figure is their ratio over all prompts.
SELECT
    *,
    coalesce(list_sum(gains), 0) AS judged,
    judged AS unhelpful,
    judged AS low,
    judged + shown - list_count(gains) AS high,
    list_count(gains) AS judged_n,
    shown AS n,
    false AS optional
FROM lists
