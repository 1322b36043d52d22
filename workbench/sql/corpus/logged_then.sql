-- In:  logged (query_id, uri, now, embedding_model, logged_shown), identity, address_versions, content_versions,
--      keyword_sets.
-- Out: the logged candidates with their node and what stood of it at the time of the prompt: address and content
--      ({certainty, …}, NULL: none), keywords.
SELECT
    l.*,
    i.node_uuid,
    CASE WHEN a.uri IS NOT NULL
        THEN {'priority': a.priority, 'disclosure': a.disclosure, 'certainty': a.certainty} END AS address,
    CASE WHEN c.node_uuid IS NOT NULL THEN {'text': c.content, 'certainty': c.certainty} END AS content,
    coalesce(k.keywords, []) AS keywords,
    coalesce(k.assumed, false) AS keywords_assumed
FROM logged AS l
LEFT JOIN identity AS i ON i.uri = l.uri AND i.valid_from <= l.now AND (i.valid_to IS NULL OR l.now < i.valid_to)
LEFT JOIN address_versions AS a ON a.uri = l.uri AND a.valid_from <= l.now AND (a.valid_to IS NULL OR l.now < a.valid_to)
LEFT JOIN content_versions AS c ON c.node_uuid = i.node_uuid
    AND c.valid_from <= l.now AND (c.valid_to IS NULL OR l.now < c.valid_to)
LEFT JOIN keyword_sets AS k ON k.node_uuid = i.node_uuid
    AND k.valid_from <= l.now AND (k.valid_to IS NULL OR l.now < k.valid_to)
