-- In:  facts (key, node_uuid, moment, number, starts, implied, assumed, earliest): from moment on, key leads to the node or, where
--      it does not start, to none. An implied end counts only where key led somewhere.
-- Out: one row a span: key, node_uuid, valid_from, valid_to (NULL: still), from_assumed, to_assumed. Spans of a key do not
--      overlap.
SELECT
    key,
    node_uuid,
    CASE WHEN starts THEN moment ELSE earliest END AS valid_from,
    CASE WHEN starts THEN next_at ELSE moment END AS valid_to,
    CASE WHEN starts THEN assumed ELSE true END AS from_assumed,
    CASE WHEN starts THEN coalesce(next_assumed, false) ELSE assumed END AS to_assumed
FROM (
    SELECT
        *,
        lag(starts) OVER told AS after_start,
        lead(moment) OVER told AS next_at,
        lead(assumed) OVER told AS next_assumed
    FROM (
        SELECT *, lag(starts) OVER told AS before_starts, lag(node_uuid) OVER told AS before_node
        FROM facts
        WINDOW told AS (PARTITION BY key ORDER BY moment, number, starts, node_uuid)
    )
    -- Told twice is told once.
    WHERE before_starts IS NULL OR starts <> before_starts OR (starts AND node_uuid IS DISTINCT FROM before_node)
    WINDOW told AS (PARTITION BY key ORDER BY moment, number, starts, node_uuid)
)
WHERE
    CASE
        WHEN starts THEN next_at IS NULL OR moment < next_at
        ELSE after_start IS NULL AND earliest < moment AND NOT (implied AND earliest = '-infinity'::TIMESTAMPTZ)
    END
