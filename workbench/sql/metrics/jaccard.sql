-- In:  lists.
-- Out: memories in both lists over memories in either, a prompt. Prompts for which both lists are empty do not count.
SELECT
    *,
    coalesce(len(common) / nullif(shown + logged - len(common), 0), 0) AS judged,
    judged AS unhelpful,
    judged AS low,
    judged AS high,
    (shown + logged > 0)::INTEGER AS judged_n,
    (shown + logged > 0)::INTEGER AS n,
    false AS optional
FROM lists
