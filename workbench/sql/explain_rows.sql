-- In:  logged_events (of one query).
-- Out: every signal row of the query in the order in which the server logged it, with the best row of each signal
--      marked, and the reason of an exact row by its score tier.
SELECT
    signal,
    uri,
    view_type,
    keyword,
    raw_score,
    coalesce(nullif(weight, 0), 1) AS weight,
    raw_score * coalesce(nullif(weight, 0), 1) AS weighted,
    row_number() OVER (PARTITION BY signal, uri ORDER BY raw_score * coalesce(nullif(weight, 0), 1) DESC, arrival) = 1
        AS counts,
    CASE WHEN signal = 'exact' THEN
        CASE round(raw_score, 2)
            WHEN 1.00 THEN 'the prompt is the address or path'
            WHEN 0.98 THEN 'the prompt is a keyword'
            WHEN 0.90 THEN 'the keywords contain the prompt'
            WHEN 0.84 THEN 'the prompt contains a keyword'
            WHEN 0.78 THEN 'tokenised match in keywords, address or path'
            WHEN 0.72 THEN 'the address or path contains the prompt'
        END
    END AS reason
FROM logged_events
ORDER BY arrival
