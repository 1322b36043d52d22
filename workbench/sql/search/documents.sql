-- In:  corpus_addresses, memory_now.
-- Out: one row an address with an active memory: what lore_search looks into beside the signals of recall. place is its
--      rank among equally good documents.
SELECT
    row_number() OVER (ORDER BY a.priority, server_order(a.uri))::INTEGER AS place,
    a.uri,
    a.domain,
    a.path,
    regexp_extract(a.path, '[^/]*$') AS name,
    a.priority,
    a.updated_at,
    a.node_uuid,
    a.glossary,
    coalesce(n.disclosure, '') AS disclosure,
    coalesce(n.content, '') AS content
FROM corpus_addresses AS a
JOIN memory_now AS n ON n.uri = a.uri AND n.node_uuid = a.node_uuid
ORDER BY place
