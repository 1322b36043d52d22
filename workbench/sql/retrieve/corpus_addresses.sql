-- In:  memory_now, glossary_keywords.
-- Out: one row an address whose node has an active memory: its keywords in the server's order, joined as glossary and, for
--      cues, without those that differ in case alone; words, the text that the words of a prompt are looked up in; and
--      place, its rank among equally good matches.
SELECT
    row_number() OVER (
        ORDER BY priority, path_length, icu_sort_key(uri, 'en_US-u-ka-shifted-ks-level4'), uri
    )::INTEGER AS place,
    *
FROM (
    SELECT
        n.uri,
        n.path,
        n.domain,
        n.node_uuid,
        coalesce(n.priority, 0) AS priority,
        n.created_at AS updated_at,
        length(n.path) AS path_length,
        coalesce(array_to_string(k.keywords, ' '), '') AS glossary,
        concat_ws(' ', array_to_string(k.keywords, ' '), n.uri, n.path) AS words,
        coalesce(k.keywords, []) AS keywords,
        list_filter(
            coalesce(k.keywords, []),
            lambda keyword, i: list_position(list_transform(k.keywords, lambda x: lower(x)), lower(keyword)) = i
        ) AS cue_terms
    FROM memory_now AS n
    LEFT JOIN (
        SELECT
            node_uuid,
            list(keyword ORDER BY icu_sort_key(keyword, 'en_US-u-ka-shifted-ks-level4'), keyword) AS keywords
        FROM glossary_keywords
        GROUP BY node_uuid
    ) AS k ON k.node_uuid = n.node_uuid
    WHERE n.memory_id IS NOT NULL
)
