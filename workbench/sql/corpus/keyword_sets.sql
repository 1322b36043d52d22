-- In:  keyword_versions.
-- Out: node_uuid, valid_from, valid_to (exclusive; NULL: still), keywords, assumed: which keywords a node had, from change to
--      change. Before the first row it had none that is known.
SELECT
    s.node_uuid,
    s.valid_from,
    s.valid_to,
    list(k.keyword ORDER BY k.keyword) AS keywords,
    bool_or(k.certainty = 'assumed') AS assumed
FROM (
    SELECT node_uuid, moment AS valid_from, lead(moment) OVER (PARTITION BY node_uuid ORDER BY moment) AS valid_to
    FROM (
        SELECT node_uuid, valid_from AS moment FROM keyword_versions
        UNION
        SELECT node_uuid, valid_to FROM keyword_versions WHERE valid_to IS NOT NULL
    )
) AS s
JOIN keyword_versions AS k ON k.node_uuid = s.node_uuid
    AND k.valid_from <= s.valid_from AND (k.valid_to IS NULL OR s.valid_from < k.valid_to)
GROUP BY s.node_uuid, s.valid_from, s.valid_to
