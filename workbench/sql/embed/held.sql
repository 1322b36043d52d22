-- In:  wanted_texts (position, text: normalised), wb.embeddings; $model.
-- Out: position of each wanted text that has a vector of the model.
SELECT w.position
FROM wanted_texts AS w
SEMI JOIN (SELECT text FROM wb.embeddings WHERE model = $model) AS e ON e.text = w.text
