-- In:  recall_queries, traffic, query_limits, app_settings; the bound value $query_id.
-- Out: one row, or none: the logged prompt and its time `at`, what the log says of it, where it was cut and why there,
--      and the model that it was embedded with: as logged, else as the settings say.
SELECT
    r.query_text,
    l.now AS at,
    l.now::VARCHAR AS now,
    l.session_id,
    l.client_type,
    l.traffic,
    l.query_tokens,
    l.tokens_logged,
    l.query_char_limit,
    l.strategy,
    l.embedding_model,
    l.duration_ms,
    c.query_limit,
    c.limit_source,
    coalesce(l.embedding_model, (
        SELECT any_value(coalesce(json_extract_string(value, '$.value'), json_extract_string(value, '$')))
        FROM app_settings
        WHERE key = 'embedding.model' AND json_valid(value)
    )) AS model
FROM recall_queries AS r
JOIN traffic AS l ON l.query_id = r.query_id
JOIN query_limits AS c ON c.query_id = r.query_id
WHERE r.query_id = $query_id
