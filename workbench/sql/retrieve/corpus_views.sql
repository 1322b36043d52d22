-- In:  view_states, texts (text_no, text); $model, the embedding model that queries are embedded with (NULL: none).
-- Out: one row a view in a state: text_no and uri_no of its text and address, embedded_text, the weight stored on it,
--      cue_terms, valid_from, valid_to, earlier_at, and vector, NULL where no vector of that model stands on the row.
--      rebuilt: it is none of the server's. place is its rank among equally good matches.
SELECT
    row_number() OVER (ORDER BY priority, path_length, view_type, uri, id, valid_from)::INTEGER AS place,
    * EXCLUDE (id)
FROM (
    SELECT
        v.id,
        v.uri,
        v.domain,
        v.node_uuid,
        v.view_type,
        v.weight::VARCHAR::DOUBLE AS weight,
        coalesce(v.priority, 0) AS priority,
        v.updated_at,
        v.earlier_at,
        v.valid_from,
        v.valid_to,
        length(v.path) AS path_length,
        t.text_no,
        t.text AS embedded_text,
        u.text_no AS uri_no,
        coalesce(json_extract_string(v.metadata, '$.cue_terms[*]'), []) AS cue_terms,
        CASE WHEN v.embedding_model = $model::VARCHAR THEN v.embedding_vector END AS vector,
        v.source IS NOT DISTINCT FROM 'rebuilt' AS rebuilt
    FROM view_states AS v
    JOIN texts AS t ON t.text = v.text_content
    JOIN texts AS u ON u.text = v.uri
)
