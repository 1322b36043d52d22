-- In:  corpus_addresses, texts (text_no, text).
-- Out: place, part (glossary, uri, path or words), text_no: the texts that a prompt is compared with.
SELECT a.place, a.part, t.text_no
FROM (UNPIVOT corpus_addresses ON glossary, uri, path, words INTO NAME part VALUE text) AS a
JOIN texts AS t ON t.text = a.text
