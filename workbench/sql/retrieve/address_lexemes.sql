-- In:  corpus_parts, text_lexemes.
-- Out: place, lexeme: the words of each address.
SELECT c.place, x.lexeme
FROM corpus_parts AS c
JOIN text_lexemes AS x ON x.text_no = c.text_no
WHERE c.part = 'words'
