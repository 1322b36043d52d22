-- In:  wanted_texts (position, text: normalised), wb.embeddings; $model.
-- Out: position and vector of each wanted text that has one, by position.
SELECT w.position, e.vector
FROM wanted_texts AS w
JOIN wb.embeddings AS e ON e.model = $model AND e.text = w.text
ORDER BY w.position
