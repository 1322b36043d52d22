-- In:  wb.hand_labels, answers_waiting (the same columns: what the inbox holds beside the store).
-- Out: every answer that was ever given by hand, once.
SELECT * FROM wb.hand_labels
UNION ALL
SELECT * FROM answers_waiting AS w WHERE w.label_id NOT IN (SELECT h.label_id FROM wb.hand_labels AS h)
