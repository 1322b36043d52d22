-- In:  term_states; $model, the embedding model that queries are embedded with (NULL: none).
-- Out: one row a keyword of an address in a state, with embedded_text, valid_from, valid_to, earlier_at, and its vector,
--      NULL where none of that model stands on the row. rebuilt: it is none of the server's.
--      place is its rank among equally near keywords.
SELECT
    row_number() OVER (
        ORDER BY
            priority, path_length, server_order(keyword), uri, id, valid_from
    )::INTEGER AS place,
    * EXCLUDE (id)
FROM (
    SELECT
        id,
        uri,
        domain,
        node_uuid,
        keyword,
        coalesce(priority, 0) AS priority,
        updated_at,
        earlier_at,
        valid_from,
        valid_to,
        length(path) AS path_length,
        [keyword] AS cue_terms,
        coalesce(nullif(match_text, ''), regexp_replace(keyword, '[/_-]+', ' ', 'g')) AS embedded_text,
        CASE WHEN embedding_model = $model::VARCHAR THEN embedding_vector END AS vector,
        source IS NOT DISTINCT FROM 'rebuilt' AS rebuilt
    FROM term_states
)
