-- In:  recall_events, touched (query_id).
-- Out: one row a logged signal row of those queries, with the metadata read into typed columns. Rows of older
--      servers keep their ids in the metadata only: two branches, so that a few queries cost no reading of all metadata.
--      A value that is no number becomes NULL.
SELECT
    try_cast(id AS BIGINT) AS arrival,
    query_id,
    node_uri AS uri,
    signal,
    view_type,
    coalesce(
        try_cast(meta[2] AS DOUBLE),
        pre_rank_score::DOUBLE / coalesce(nullif(try_cast(meta[3] AS DOUBLE), 0), 1)
    ) AS raw_score,
    try_cast(meta[3] AS DOUBLE) AS weight,
    CASE WHEN signal = 'glossary_semantic' THEN meta[4] END AS keyword,
    try_cast(meta[5] AS INTEGER) AS query_tokens,
    try_cast(meta[6] AS INTEGER) AS query_char_limit,
    try_cast(meta[7] AS BOOLEAN) AS query_truncated,
    try_cast(meta[8] AS BOOLEAN) AS recency_logged,
    meta[9] AS strategy,
    meta[10] AS embedding_model,
    try_cast(meta[11] AS DOUBLE) AS logged_exact,
    try_cast(meta[12] AS DOUBLE) AS logged_glossary_semantic,
    try_cast(meta[13] AS DOUBLE) AS logged_dense,
    try_cast(meta[14] AS DOUBLE) AS logged_lexical,
    try_cast(meta[15] AS DOUBLE) AS logged_view,
    try_cast(meta[16] AS DOUBLE) AS logged_priority,
    try_cast(meta[17] AS DOUBLE) AS logged_multi_view,
    try_cast(meta[18] AS DOUBLE) AS logged_recency,
    meta[19] AS mark_source,
    final_rank_score::DOUBLE AS logged_score,
    selected AS logged_shown,
    used_in_answer AS used,
    coalesce(ranked_position, try_cast(meta[20] AS INTEGER)) AS logged_position,
    coalesce(displayed_position, try_cast(meta[21] AS INTEGER)) AS logged_displayed_position
FROM (
    SELECT
        e.* REPLACE (coalesce(nullif(e.query_id, ''), e.metadata ->> '$.query_id') AS query_id),
        CASE e.retrieval_path WHEN 'semantic' THEN 'dense' ELSE e.retrieval_path END AS signal,
        json_extract_string(e.metadata, [
            '$.query_id', '$.raw_score', '$.source_weight', '$.cue_terms[0]',
            '$.retrieval_meta.query_tokens', '$.retrieval_meta.query_char_limit', '$.retrieval_meta.query_truncated',
            '$.retrieval_meta.recency_enabled', '$.retrieval_meta.strategy', '$.retrieval_meta.model',
            '$.score_breakdown.exact', '$.score_breakdown.glossary_semantic', '$.score_breakdown.semantic',
            '$.score_breakdown.lexical', '$.score_breakdown.view', '$.score_breakdown.priority',
            '$.score_breakdown.multi_view', '$.score_breakdown.recency', '$.answer_signal_source',
            '$.ranked_position', '$.displayed_position'
        ]) AS meta
    FROM (
        SELECT * FROM recall_events WHERE query_id <> '' AND query_id IN (SELECT t.query_id FROM touched AS t)
        UNION ALL
        SELECT * FROM recall_events
        WHERE coalesce(query_id, '') = '' AND metadata ->> '$.query_id' IN (SELECT t.query_id FROM touched AS t)
    ) AS e
)
