-- In:  memory_events.
-- Out: one row a dated memory event, read into typed columns. kind: create (also a restore), update, move, delete, link
--      and unlink (an alias comes or goes), glossary. to_uri and from_uri: the addresses of a move, NULL where it names
--      none; gone_uris and gone_nodes: what a deletion took along, NULL where it lists nothing; added and removed: the
--      keywords that came and went.
SELECT
    * EXCLUDE (before_keywords, after_keywords, listed_added, listed_removed, keyword),
    list_distinct(list_concat(
        coalesce(listed_added, []),
        CASE
            WHEN kind = 'create' THEN coalesce(after_keywords, [])
            WHEN before_keywords IS NOT NULL AND after_keywords IS NOT NULL
                THEN list_filter(after_keywords, lambda k: NOT list_contains(before_keywords, k))
            WHEN kind = 'glossary' AND keyword IS NOT NULL AND NOT takes THEN [keyword]
        END
    )) AS added,
    list_distinct(list_concat(
        coalesce(listed_removed, []),
        CASE
            WHEN before_keywords IS NOT NULL AND after_keywords IS NOT NULL
                THEN list_filter(before_keywords, lambda k: NOT list_contains(after_keywords, k))
            WHEN kind = 'glossary' AND keyword IS NOT NULL AND takes THEN [keyword]
        END
    )) AS removed,
    before_keywords,
    after_keywords
FROM (
    SELECT
        created_at AS moment,
        coalesce(try_cast(id AS HUGEINT), 0) AS number,
        id,
        nullif(node_uri, '') AS uri,
        nullif(node_uuid, '') AS node_uuid,
        event_type,
        regexp_matches(event_type, '(?i)delet|remov|purge|unlink|deprecat') AS takes,
        CASE
            WHEN regexp_matches(event_type, '(?i)glossary|keyword') THEN 'glossary'
            WHEN regexp_matches(event_type, '(?i)move|rename|relocat') AND NOT regexp_matches(event_type, '(?i)remov')
                THEN 'move'
            WHEN regexp_matches(event_type, '(?i)alias|path|link') THEN CASE WHEN takes THEN 'unlink' ELSE 'link' END
            WHEN regexp_matches(event_type, '(?i)undelet|restor|recover|creat') THEN 'create'
            WHEN takes THEN 'delete'
            ELSE 'update'
        END AS kind,
        CASE WHEN contains(named_to, '://') THEN named_to ELSE domain || '://' || named_to END AS to_uri,
        CASE WHEN contains(named_from, '://') THEN named_from ELSE domain || '://' || named_from END AS from_uri,
        nullif(details ->> '$.keyword', '') AS keyword,
        try_cast(details -> '$.affected_paths' AS VARCHAR[]) AS gone_uris,
        try_cast(details -> '$.deprecated_node_uuids' AS VARCHAR[]) AS gone_nodes,
        try_cast(details -> '$.glossary_added' AS VARCHAR[]) AS listed_added,
        try_cast(details -> '$.glossary_removed' AS VARCHAR[]) AS listed_removed,
        try_cast(before_snapshot -> '$.glossary_keywords' AS VARCHAR[]) AS before_keywords,
        try_cast(after_snapshot -> '$.glossary_keywords' AS VARCHAR[]) AS after_keywords,
        before_snapshot ->> '$.content' AS before_content,
        after_snapshot ->> '$.content' AS after_content,
        json_exists(coalesce(before_snapshot, '{}'), '$.priority') AS has_before,
        try_cast(before_snapshot ->> '$.priority' AS INTEGER) AS before_priority,
        before_snapshot ->> '$.disclosure' AS before_disclosure,
        json_exists(coalesce(after_snapshot, '{}'), '$.priority') AS has_after,
        try_cast(after_snapshot ->> '$.priority' AS INTEGER) AS after_priority,
        after_snapshot ->> '$.disclosure' AS after_disclosure
    FROM (
        SELECT
            *,
            coalesce(list_filter(
                json_extract_string(details, ['$.new_uri', '$.to_uri', '$.target_uri', '$.new_path', '$.to_path']),
                lambda x: x <> ''
            )[1], nullif(after_snapshot ->> '$.uri', ''), nullif(after_snapshot ->> '$.path', '')) AS named_to,
            coalesce(list_filter(
                json_extract_string(details, ['$.old_uri', '$.from_uri', '$.source_uri', '$.old_path', '$.from_path']),
                lambda x: x <> ''
            )[1], nullif(before_snapshot ->> '$.uri', ''), nullif(before_snapshot ->> '$.path', '')) AS named_from
        FROM memory_events
        WHERE created_at IS NOT NULL
    )
)
