-- In:  sim_prompts, ranked.
-- Out: the rows of wb.logged_queries that an import would derive.
SELECT
    query_id,
    now,
    session_id,
    client_type,
    CASE
        WHEN typed THEN 'prompt'
        WHEN session_id = 'boot' THEN 'startup'
        WHEN session_id = 'recall-ui-debug' THEN 'console'
        ELSE 'heartbeat'
    END AS traffic,
    query_tokens,
    true AS tokens_logged,
    true AS replayable,
    200 AS query_char_limit,
    truncated AS query_truncated,
    true AS recency_logged,
    'raw_plus_lex_damp' AS strategy,
    'simulated' AS embedding_model,
    duration_ms
FROM sim_prompts
ORDER BY now, query_id
