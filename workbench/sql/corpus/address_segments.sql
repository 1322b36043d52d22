-- In:  address_marks, present_addresses, recorded.
-- Out: the spans in pieces of one priority and disclosure: key, node_uuid, valid_from, valid_to, priority, disclosure,
--      certainty. An address of now ends with what its edge says; elsewhere the last event speaks, before the first event
--      what that one changed.
SELECT
    key,
    node_uuid,
    moment AS valid_from,
    ends AS valid_to,
    attributes.priority,
    attributes.disclosure,
    CASE
        WHEN (from_assumed AND moment = valid_from) OR (to_assumed AND at_end) THEN 'assumed'
        WHEN recorded_since IS NULL OR moment < recorded_since THEN 'assumed'
        WHEN attributes IS NULL OR (last_said IS NULL AND valid_to IS NOT NULL) THEN 'assumed'
        WHEN is_now THEN CASE WHEN last_said <> attributes THEN 'assumed' ELSE 'known' END
        WHEN last_said IS NULL AND doubt_after THEN 'assumed'
        WHEN last_said IS NOT NULL AND (doubt_before OR last_said <> next_before) THEN 'assumed'
        ELSE 'known'
    END AS certainty
FROM (
    SELECT
        m.*,
        r.recorded_since,
        m.valid_to IS NULL AND m.at_end AND p.uri IS NOT NULL AS is_now,
        CASE
            WHEN is_now OR (m.valid_to IS NULL AND m.last_said IS NULL AND m.next_before IS NULL)
                THEN {'priority': p.priority, 'disclosure': p.disclosure}
            ELSE coalesce(m.last_said, m.next_before)
        END AS attributes
    FROM (
        SELECT
            *,
            last_value(said IGNORE NULLS) OVER (told ROWS UNBOUNDED PRECEDING) AS last_said,
            first_value(before IGNORE NULLS) OVER (told ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS next_before,
            coalesce(last_value(doubt IGNORE NULLS) OVER (told ROWS UNBOUNDED PRECEDING), false) AS doubt_before,
            coalesce(bool_or(doubt) OVER (told ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING), false) AS doubt_after,
            coalesce(lead(moment) OVER told, valid_to) AS ends,
            ends IS NOT DISTINCT FROM valid_to AS at_end
        FROM address_marks
        WINDOW told AS (PARTITION BY key, valid_from ORDER BY moment, number NULLS FIRST)
    ) AS m
    CROSS JOIN recorded AS r
    LEFT JOIN present_addresses AS p ON p.uri = m.key
)
WHERE (ends IS NULL OR moment < ends) AND node_uuid IS NOT NULL
