-- In:  recall_events; $query_id.
-- Out: the logged signal rows of that query as cues.sql takes them: query_id, uri, signal, arrival, cue_terms, flags
--      (none: what matched is not asked for).
SELECT
    $query_id AS query_id,
    node_uri AS uri,
    CASE retrieval_path WHEN 'semantic' THEN 'dense' ELSE retrieval_path END AS signal,
    try_cast(id AS BIGINT) AS arrival,
    json_extract_string(metadata, '$.cue_terms[*]') AS cue_terms,
    0 AS flags
FROM (
    SELECT * FROM recall_events WHERE query_id = $query_id
    UNION ALL
    -- The metadata of a row that names its query are never parsed.
    SELECT * FROM recall_events WHERE nullif(query_id, '') IS NULL AND metadata ->> '$.query_id' = $query_id
)
WHERE $query_id <> ''
