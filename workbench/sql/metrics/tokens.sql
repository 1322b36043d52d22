-- In:  lists.
-- Out: estimated tokens of the contents of what is shown, a prompt. Prompts with a shown memory whose content the store
--      does not hold do not count.
SELECT
    *,
    CASE WHEN contents = shown THEN tokens ELSE 0 END AS judged,
    judged AS unhelpful,
    judged AS low,
    judged AS high,
    (contents = shown)::INTEGER AS judged_n,
    (contents = shown)::INTEGER AS n,
    false AS optional
FROM lists
