-- In:  address_versions, memory_history, memory_views, glossary_term_embeddings.
-- Out: uri, node_uuid, valid_from, valid_to (NULL: still), certainty: the node that an address stood for, at any time
--      whatever: each version reaches back to where the one before it ended, the first to -infinity, the last on for ever.
--      Addresses that have no version are taken from events and from the index.
SELECT
    uri,
    node_uuid,
    CASE
        WHEN lag(valid_from) OVER told IS NULL THEN '-infinity'::TIMESTAMPTZ
        ELSE valid_from
    END AS valid_from,
    lead(valid_from) OVER told AS valid_to,
    certainty
FROM (
    SELECT *
    FROM (
        SELECT
            uri, node_uuid, valid_from, 'known' AS certainty,
            lag(node_uuid) OVER (PARTITION BY uri ORDER BY valid_from) IS DISTINCT FROM node_uuid AS changed
        FROM address_versions
    )
    WHERE changed
    UNION ALL BY NAME
    SELECT
        uri, arg_max(node_uuid, (coalesce(moment, '-infinity'::TIMESTAMPTZ), node_uuid)) AS node_uuid,
        '-infinity'::TIMESTAMPTZ AS valid_from, 'assumed' AS certainty
    FROM (
        SELECT uri, node_uuid, moment FROM memory_history
        UNION ALL
        SELECT uri, node_uuid, updated_at FROM memory_views
        UNION ALL
        SELECT uri, node_uuid, updated_at FROM glossary_term_embeddings
    )
    WHERE node_uuid IS NOT NULL AND uri IS NOT NULL AND uri NOT IN (SELECT a.uri FROM address_versions AS a)
    GROUP BY uri
)
WINDOW told AS (PARTITION BY uri ORDER BY valid_from)
