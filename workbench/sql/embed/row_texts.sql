-- In:  embedded_rows; $model, $length: the length of its vectors (NULL: it has none yet).
-- Out: kind, text: each text of active rows; on_rows: every row with that text has a usable vector of the model.
SELECT
    kind,
    text,
    bool_and(coalesce(fault IS NULL AND model = $model AND length = $length::INTEGER, false)) AS on_rows
FROM embedded_rows
GROUP BY kind, text
