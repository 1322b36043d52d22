-- In:  score (score.sql over labelled candidates).
-- Out: one number that differs when any score does.
SELECT bit_xor(hash(query_id, uri_order, score))
FROM score
