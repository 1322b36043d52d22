-- In:  glossary_term_embeddings.
-- Out: the active keywords of addresses with valid_from, valid_to (always) and earlier_at (nothing).
SELECT
    *,
    '-infinity'::TIMESTAMPTZ AS valid_from,
    'infinity'::TIMESTAMPTZ AS valid_to,
    NULL::TIMESTAMPTZ AS earlier_at
FROM glossary_term_embeddings
WHERE coalesce(status, 'active') = 'active'
