-- In:  judged_prompts, judged_log, hand_labels, wb.agent_opens, wb.agent_searches, wb.agent_prompts.
-- Out: one row: how much there is that a miss could be seen by.
SELECT
    (SELECT count(*) FROM judged_prompts) AS prompts,
    (SELECT count(*) FROM judged_log WHERE label = 'used') AS used,
    (SELECT count(*) FROM hand_labels AS h SEMI JOIN judged_prompts AS p ON p.query_id = h.query_id) AS answers,
    (SELECT count(*) FROM wb.agent_prompts) AS agent_prompts,
    (SELECT count(*) FROM wb.agent_opens) AS opens,
    (SELECT count(*) FROM wb.agent_searches) AS searches
