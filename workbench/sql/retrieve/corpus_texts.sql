-- In:  corpus_addresses, view_states.
-- Out: text_no, text: each distinct text that prompts are compared with or looked up in, from 0.
SELECT row_number() OVER (ORDER BY text)::INTEGER - 1 AS text_no, text
FROM (
    SELECT unnest([glossary, uri, path, words]) AS text FROM corpus_addresses
    UNION
    SELECT unnest(keywords) FROM corpus_addresses
    UNION
    SELECT unnest([text_content, uri]) FROM view_states
)
