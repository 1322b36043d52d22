-- In:  address_segments.
-- Out: one row a version of an address: uri, domain, path, node_uuid, priority, disclosure, valid_from, valid_to
--      (exclusive; NULL: still), certainty. An address has at most one version at a time. certainty is assumed where an
--      end is inferred, where nothing tells priority and disclosure of then, where the store says otherwise than the last
--      event, and for times from before the first memory event.
SELECT
    key AS uri,
    split_part(key, '://', 1) AS domain,
    substr(key, strpos(key, '://') + 3) AS path,
    node_uuid,
    priority,
    disclosure,
    min(valid_from) AS valid_from,
    CASE WHEN count(valid_to) = count(*) THEN max(valid_to) END AS valid_to,
    certainty
FROM (
    SELECT *, count(*) FILTER (changed) OVER (PARTITION BY key ORDER BY valid_from) AS version
    FROM (
        SELECT
            *,
            lag({'n': node_uuid, 'p': priority, 'd': disclosure, 'c': certainty, 'to': valid_to}) OVER told
                IS DISTINCT FROM
                {'n': node_uuid, 'p': priority, 'd': disclosure, 'c': certainty, 'to': valid_from} AS changed
        FROM address_segments
        WINDOW told AS (PARTITION BY key ORDER BY valid_from)
    )
)
GROUP BY key, version, node_uuid, priority, disclosure, certainty
