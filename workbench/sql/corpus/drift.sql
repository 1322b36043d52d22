-- In:  logged_then, address_versions, content_versions, keyword_sets, indexed.
-- Out: one row a logged (query_id, uri): node_uuid (NULL: nothing tells it), logged_shown, and what is different now from the
--      time of the prompt, each true, false or NULL where it is not known:
--      edited_since           the memory's text
--      priority_changed_since priority or disclosure of this address
--      created_after          the log recalled it, but its address is dated after the prompt: a reset or wrong date
--      deleted_since          the node has no address or no text any more
--      moved_since            the address leads elsewhere or nowhere, but the node has another one
--      keyword_added_since, keyword_removed_since
--      view_rebuilt_since     its views or keyword vectors are dated after the prompt: what stood in them then is not known
--      stamps_reset           it was a rebuild of many that dated them: they look younger than they are
--      model_changed          no view or keyword vector is of the model that the prompt was embedded with
--      certainty: assumed where a version that this rests on is.
SELECT
    CASE WHEN t.address IS NOT NULL THEN coalesce(k.keywords, []) END AS held,
    t.query_id,
    t.uri,
    t.node_uuid,
    t.logged_shown,
    CASE WHEN t.content IS NOT NULL AND n.node_uuid IS NOT NULL THEN t.content.text IS DISTINCT FROM n.content END
        AS edited_since,
    CASE
        WHEN t.address IS NOT NULL AND a.node_uuid = t.node_uuid
            THEN t.address.priority IS DISTINCT FROM a.priority OR t.address.disclosure IS DISTINCT FROM a.disclosure
    END AS priority_changed_since,
    CASE WHEN t.now IS NOT NULL THEN t.address IS NULL AND f.valid_from > t.now END AS created_after,
    CASE
        WHEN t.now IS NULL THEN NULL
        WHEN t.node_uuid IS NULL THEN a.uri IS NULL
        WHEN t.address IS NOT NULL AND t.content IS NULL THEN false
        ELSE n.node_uuid IS NULL OR o.node_uuid IS NULL
    END AS deleted_since,
    CASE
        WHEN t.now IS NOT NULL AND t.node_uuid IS NOT NULL
            THEN o.node_uuid IS NOT NULL AND a.node_uuid IS DISTINCT FROM t.node_uuid
    END AS moved_since,
    CASE WHEN held IS NOT NULL THEN NOT list_has_all(t.keywords, held) END AS keyword_added_since,
    CASE WHEN held IS NOT NULL THEN NOT list_has_all(held, t.keywords) END AS keyword_removed_since,
    x.indexed_at > t.now AS view_rebuilt_since,
    CASE WHEN x.indexed_at IS NOT NULL AND t.now IS NOT NULL THEN coalesce(x.reset_at > t.now, false) END
        AS stamps_reset,
    NOT list_contains(x.models, t.embedding_model) AS model_changed,
    CASE
        WHEN t.node_uuid IS NULL OR t.address IS NULL OR t.content IS NULL OR t.keywords_assumed
            OR t.address.certainty = 'assumed' OR t.content.certainty = 'assumed' THEN 'assumed'
        ELSE 'known'
    END AS certainty
FROM logged_then AS t
LEFT JOIN address_versions AS a ON a.uri = t.uri AND a.valid_to IS NULL
LEFT JOIN content_versions AS n ON n.node_uuid = t.node_uuid AND n.valid_to IS NULL
LEFT JOIN keyword_sets AS k ON k.node_uuid = t.node_uuid AND k.valid_to IS NULL
LEFT JOIN (SELECT DISTINCT node_uuid FROM address_versions WHERE valid_to IS NULL) AS o ON o.node_uuid = t.node_uuid
LEFT JOIN (SELECT uri, min(valid_from) AS valid_from FROM address_versions GROUP BY uri) AS f ON f.uri = t.uri
LEFT JOIN indexed AS x ON x.uri = t.uri
