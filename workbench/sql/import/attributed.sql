-- In:  recall_events.
-- Out: the columns of recall_events that rollups rest on. Servers of before the id columns kept query id, session,
--      client and positions in the metadata only; rows without any query id are left out.
SELECT *
FROM (
    SELECT
        id,
        CASE WHEN old THEN metadata ->> '$.query_id' ELSE query_id END AS query_id,
        query_text,
        node_uri,
        CASE WHEN old THEN coalesce(session_id, metadata ->> '$.session_id') ELSE session_id END AS session_id,
        CASE WHEN old THEN coalesce(client_type, metadata ->> '$.client_type') ELSE client_type END AS client_type,
        final_rank_score,
        selected,
        used_in_answer,
        CASE WHEN old
            THEN coalesce(ranked_position, try_cast(metadata ->> '$.ranked_position' AS INTEGER))
            ELSE ranked_position
        END AS ranked_position,
        CASE WHEN old
            THEN coalesce(displayed_position, try_cast(metadata ->> '$.displayed_position' AS INTEGER))
            ELSE displayed_position
        END AS displayed_position,
        created_at
    FROM (SELECT *, nullif(query_id, '') IS NULL AS old FROM recall_events)
)
WHERE query_id IS NOT NULL
