-- In:  glossary_term_embeddings, address_spans, keyword_versions; $restamp.
-- Out: the active keywords of addresses by the time in which the address led to their memory and the memory had the
--      keyword, as in view_states_asof.sql.
WITH active AS (
    SELECT * FROM glossary_term_embeddings WHERE coalesce(status, 'active') = 'active'
),
held AS (
    SELECT
        s.uri,
        s.domain,
        s.path,
        s.priority,
        s.node_uuid,
        s.updated_at,
        k.keyword,
        greatest(s.valid_from, k.valid_from) AS valid_from,
        least(s.valid_to, coalesce(k.valid_to, 'infinity')) AS valid_to
    FROM address_spans AS s
    JOIN keyword_versions AS k ON k.node_uuid = s.node_uuid
    WHERE greatest(s.valid_from, k.valid_from) < least(s.valid_to, coalesce(k.valid_to, 'infinity'))
)
SELECT t.*, h.valid_from, h.valid_to, CASE WHEN $restamp::BOOLEAN THEN h.updated_at END AS earlier_at
FROM active AS t
JOIN held AS h ON h.uri = t.uri AND h.node_uuid = t.node_uuid AND h.keyword = t.keyword
UNION ALL
SELECT t.*, coalesce(e.ended, '-infinity'), 'infinity'::TIMESTAMPTZ, NULL
FROM active AS t
LEFT JOIN (SELECT uri, node_uuid, keyword, max(valid_to) AS ended FROM held GROUP BY ALL) AS e
    ON e.uri = t.uri AND e.node_uuid = t.node_uuid AND e.keyword = t.keyword
WHERE e.ended IS NULL OR isfinite(e.ended)
UNION ALL
SELECT
    t.* REPLACE (h.uri AS uri, h.domain AS domain, h.path AS path, h.priority AS priority),
    h.valid_from,
    h.valid_to,
    CASE WHEN $restamp::BOOLEAN THEN h.updated_at END
FROM held AS h
JOIN active AS t ON t.node_uuid = h.node_uuid AND t.keyword = h.keyword
    AND t.uri = (SELECT min(o.uri) FROM active AS o WHERE o.node_uuid = h.node_uuid AND o.keyword = h.keyword)
WHERE isfinite(h.valid_to)
    AND NOT EXISTS (
        SELECT 1 FROM active AS o WHERE o.uri = h.uri AND o.node_uuid = h.node_uuid AND o.keyword = h.keyword
    )
