-- In:  recall_queries, logged_events, unlogged (query_id, uri: candidates without signal rows), touched (query_id).
-- Out: one row a query: what a replay has to know of it. traffic is prompt, startup, console or heartbeat; a token
--      count that was not logged is estimated as a third of the characters. replayable: the signals of all its
--      candidates are known, or it had no candidate.
SELECT
    q.query_id,
    q.created_at AS now,
    nullif(q.session_id, '') AS session_id,
    nullif(q.client_type, '') AS client_type,
    CASE
        WHEN q.session_id = 'boot' THEN 'startup'
        WHEN q.session_id = 'recall-ui-debug' OR q.client_type = 'admin' THEN 'console'
        WHEN regexp_matches(q.query_text, '(?i)heartbeat_ok|heartbeat\.md|^\W*(system )?heartbeat\W*$') THEN 'heartbeat'
        ELSE 'prompt'
    END AS traffic,
    coalesce(e.query_tokens, greatest(1, round(least(length(q.query_text), 200) / 3)))::INTEGER AS query_tokens,
    e.query_tokens IS NOT NULL AS tokens_logged,
    (e.query_id IS NOT NULL OR q.merged_count = 0)
        AND q.query_id NOT IN (SELECT u.query_id FROM unlogged AS u) AS replayable,
    e.query_char_limit,
    e.query_truncated,
    e.recency_logged,
    e.strategy,
    e.embedding_model,
    q.duration_ms
FROM recall_queries AS q
LEFT JOIN (
    SELECT
        query_id,
        any_value(query_tokens) AS query_tokens,
        any_value(query_char_limit) AS query_char_limit,
        any_value(query_truncated) AS query_truncated,
        any_value(recency_logged) AS recency_logged,
        any_value(strategy) AS strategy,
        any_value(embedding_model) AS embedding_model
    FROM logged_events
    GROUP BY query_id
) AS e ON e.query_id = q.query_id
WHERE q.query_id IN (SELECT t.query_id FROM touched AS t)
