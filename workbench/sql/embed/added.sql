-- In:  wanted_texts (text: normalised and distinct, vector), wb.embeddings; $model.
-- Out: model, text, vector of the texts that have no vector of the model yet.
SELECT $model AS model, w.text, w.vector::FLOAT[] AS vector
FROM wanted_texts AS w
ANTI JOIN (SELECT text FROM wb.embeddings WHERE model = $model) AS e ON e.text = w.text
