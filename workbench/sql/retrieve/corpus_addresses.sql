-- In:  address_states, state_keywords (state_no, keyword).
-- Out: one row an address in a state: its keywords in the server's order, joined as glossary and, for cues, without those
--      that differ in case alone; words, the text that the words of a prompt are looked up in; valid_from, valid_to; and
--      place, its rank among equally good matches.
SELECT
    row_number() OVER (
        ORDER BY priority, path_length, server_order(uri), state_no
    )::INTEGER AS place,
    *
FROM (
    SELECT
        s.state_no,
        s.uri,
        s.path,
        s.domain,
        s.node_uuid,
        s.priority,
        s.updated_at,
        s.valid_from,
        s.valid_to,
        length(s.path) AS path_length,
        coalesce(array_to_string(k.keywords, ' '), '') AS glossary,
        concat_ws(' ', array_to_string(k.keywords, ' '), s.uri, s.path) AS words,
        coalesce(k.keywords, []) AS keywords,
        list_filter(
            coalesce(k.keywords, []),
            lambda keyword, i: list_position(list_transform(k.keywords, lambda x: lower(x)), lower(keyword)) = i
        ) AS cue_terms
    FROM address_states AS s
    LEFT JOIN (
        SELECT
            state_no,
            list(keyword ORDER BY server_order(keyword)) AS keywords
        FROM state_keywords
        GROUP BY state_no
    ) AS k ON k.state_no = s.state_no
)
