-- In:  corpus_addresses (place, keywords), texts (text_no, text).
-- Out: place, text_no, letters: each keyword of each address, with its length.
SELECT k.place, t.text_no, length(k.keyword) AS letters
FROM (SELECT place, unnest(keywords) AS keyword FROM corpus_addresses) AS k
JOIN texts AS t ON t.text = k.keyword
