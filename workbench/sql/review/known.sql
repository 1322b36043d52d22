-- In:  paths, wb.logged_candidates, wb.agent_opens, answers_waiting, wb.hand_labels; $uri.
-- Out: one row where anything in the store speaks of the address.
SELECT 1 FROM paths WHERE domain || '://' || path = $uri
UNION ALL SELECT 1 FROM wb.logged_candidates WHERE uri = $uri
UNION ALL SELECT 1 FROM wb.agent_opens WHERE uri = $uri
UNION ALL SELECT 1 FROM wb.hand_labels WHERE uri = $uri
UNION ALL SELECT 1 FROM answers_waiting WHERE uri = $uri
LIMIT 1
