-- In:  recall_events.
-- Out: the columns of recall_events that rollups rest on. Servers of before the id columns kept query id, session,
--      client and positions in the metadata only; rows without any query id are left out. Two parts, so that the
--      metadata of rows with id columns is never read.
SELECT id, query_id, query_text, node_uri, session_id, client_type, final_rank_score, selected, used_in_answer,
    ranked_position, displayed_position, created_at
FROM recall_events
WHERE query_id <> ''
UNION ALL
SELECT
    id,
    metadata ->> '$.query_id' AS query_id,
    query_text,
    node_uri,
    coalesce(session_id, metadata ->> '$.session_id') AS session_id,
    coalesce(client_type, metadata ->> '$.client_type') AS client_type,
    final_rank_score,
    selected,
    used_in_answer,
    coalesce(ranked_position, try_cast(metadata ->> '$.ranked_position' AS INTEGER)) AS ranked_position,
    coalesce(displayed_position, try_cast(metadata ->> '$.displayed_position' AS INTEGER)) AS displayed_position,
    created_at
FROM recall_events
WHERE (query_id IS NULL OR query_id = '') AND (metadata ->> '$.query_id') <> ''
