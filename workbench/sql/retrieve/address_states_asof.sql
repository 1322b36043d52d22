-- In:  address_spans, keyword_versions.
-- Out: address_spans cut wherever a keyword of the node came or went, with state_no.
SELECT row_number() OVER (ORDER BY span_no, valid_from)::INTEGER AS state_no, *
FROM (
    SELECT
        s.* REPLACE (
            t.moment AS valid_from,
            coalesce(lead(t.moment) OVER (PARTITION BY s.span_no ORDER BY t.moment), s.valid_to) AS valid_to
        )
    FROM address_spans AS s
    JOIN (
        SELECT span_no, valid_from AS moment FROM address_spans
        UNION
        SELECT s.span_no, unnest([k.valid_from, k.valid_to])
        FROM address_spans AS s
        JOIN keyword_versions AS k ON k.node_uuid = s.node_uuid
    ) AS t ON t.span_no = s.span_no AND s.valid_from <= t.moment AND t.moment < s.valid_to
)
