-- In:  memory_views, texts (text_no, text); $model, the embedding model that queries are embedded with (NULL: none).
-- Out: one row an active view: text_no and uri_no of its text and address, embedded_text, the weight stored on it,
--      cue_terms, and vector, NULL where no vector of that model stands on the row. place is its rank among equally good
--      matches.
SELECT
    row_number() OVER (ORDER BY priority, path_length, view_type, uri, id)::INTEGER AS place,
    * EXCLUDE (id)
FROM (
    SELECT
        v.id,
        v.uri,
        domain,
        node_uuid,
        view_type,
        weight::VARCHAR::DOUBLE AS weight,
        coalesce(priority, 0) AS priority,
        updated_at,
        length(path) AS path_length,
        t.text_no,
        t.text AS embedded_text,
        u.text_no AS uri_no,
        coalesce(json_extract_string(metadata, '$.cue_terms[*]'), []) AS cue_terms,
        CASE WHEN embedding_model = $model::VARCHAR THEN embedding_vector END AS vector
    FROM memory_views AS v
    JOIN texts AS t ON t.text = v.text_content
    JOIN texts AS u ON u.text = v.uri
    WHERE coalesce(v.status, 'active') = 'active' AND v.view_type IN ('gist', 'question')
)
