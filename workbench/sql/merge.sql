-- In:  signal_rows (query_id, uri, signal, view_type, raw_score, weight, priority, updated_at, arrival):
--      every row that a signal returned; queries (query_id, now, query_tokens); boot_uris (uri).
-- Out: one row a (query_id, uri): each signal's best raw score, dense and lexical kept apart by view type because
--      the weight of a view type is a setting; priority of the row that arrived first; age of the newest row, NULL
--      where no row has a time stamp (greatest() passes over NULL).
--      A row weight of 0 or NULL acts as 1, as on the server.
SELECT
    m.query_id,
    m.uri,
    m.exact,
    m.glossary_semantic,
    m.dense_gist,
    m.dense_question,
    m.lexical_gist,
    m.lexical_question,
    m.gist_weight,
    m.question_weight,
    m.priority,
    CASE
        WHEN m.updated_at IS NOT NULL THEN greatest(0, epoch_ms(q.now) - epoch_ms(m.updated_at)) / 864e5
    END AS age_days,
    q.query_tokens,
    o.uri_order,
    m.uri IN (SELECT b.uri FROM boot_uris AS b) AS is_boot
FROM (
    SELECT
        query_id,
        uri,
        max(raw_score) FILTER (signal = 'exact') AS exact,
        max(raw_score) FILTER (signal = 'glossary_semantic') AS glossary_semantic,
        arg_max(raw_score, raw_score * row_weight) FILTER (signal = 'dense' AND view_type = 'gist') AS dense_gist,
        arg_max(raw_score, raw_score * row_weight) FILTER (signal = 'dense' AND view_type = 'question')
            AS dense_question,
        arg_max(raw_score, raw_score * row_weight) FILTER (signal = 'lexical' AND view_type = 'gist')
            AS lexical_gist,
        arg_max(raw_score, raw_score * row_weight) FILTER (signal = 'lexical' AND view_type = 'question')
            AS lexical_question,
        max(row_weight) FILTER (signal IN ('dense', 'lexical') AND view_type = 'gist') AS gist_weight,
        max(row_weight) FILTER (signal IN ('dense', 'lexical') AND view_type = 'question') AS question_weight,
        arg_min(priority, arrival) AS priority,
        max(updated_at) AS updated_at
    FROM (SELECT *, coalesce(nullif(weight, 0), 1) AS row_weight FROM signal_rows)
    GROUP BY query_id, uri
) AS m
JOIN queries AS q ON q.query_id = m.query_id
JOIN (
    SELECT uri, row_number() OVER (ORDER BY icu_sort_key(uri, 'en_US'), uri)::INTEGER AS uri_order
    FROM (SELECT DISTINCT uri FROM signal_rows)
) AS o ON o.uri = m.uri
