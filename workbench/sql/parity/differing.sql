-- In:  parity_terms (query_id, uri, logged_score, logged_shown, excluded, equal: the near ones of near.sql), parity_shown
--      (query_id, uri, logged_shown of the ranked candidates that the replay shows).
-- Out: query_id of the queries in which a candidate is not equal or which show something else than the log.
SELECT query_id FROM parity_terms WHERE excluded IS NULL AND NOT equal
UNION
SELECT query_id FROM parity_shown WHERE NOT logged_shown
UNION
SELECT t.query_id
FROM parity_terms AS t
ANTI JOIN parity_shown AS s ON s.query_id = t.query_id AND s.uri = t.uri
WHERE t.logged_shown AND t.logged_score IS NOT NULL
