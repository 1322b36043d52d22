-- In:  prompts, wb.agent_opens, wb.agent_searches, hand_labels.
-- Out: one row: over how many days the prompts go, and how many traces of what was missed the store holds.
SELECT
    coalesce((epoch_ms(max(now)) - epoch_ms(min(now))) / 864e5, 0) AS days,
    (SELECT count(*) FROM wb.agent_opens)
        + (SELECT count(*) FROM wb.agent_searches)
        + (SELECT count(*) FROM hand_labels WHERE NOT expired AND grade <> 'unsure') AS traces
FROM prompts
