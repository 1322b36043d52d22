-- In:  queries (query_id, now); $clock: logged, as-of, today or fixed; $at: the time of the last two.
-- Out: query_id, now (what ages are counted from) and corpus_at (as of when the memories stand): the query's own time, or
--      one time for all. Today everything stands that still stands, whatever its date: corpus_at is infinity.
SELECT
    query_id,
    CASE WHEN $clock::VARCHAR IN ('today', 'fixed') THEN $at::TIMESTAMPTZ ELSE now END AS now,
    CASE $clock::VARCHAR
        WHEN 'today' THEN 'infinity'::TIMESTAMPTZ
        WHEN 'fixed' THEN $at::TIMESTAMPTZ
        ELSE now
    END AS corpus_at
FROM queries
