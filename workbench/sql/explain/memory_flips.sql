-- In:  display (display.sql over explain/changed_candidates.sql), memory_changes, target; the bound values $uri and
--      $shown (whether the memory is shown as it is).
-- Out: the changes that alone flip the memory, of each kind the one nearest to what is: its score and rank after it,
--      NULL where no signal returns it any more.
SELECT change, former_priority, value, score, shown, ranked_position
FROM (
    SELECT
        m.change,
        t.priority AS former_priority,
        m.value,
        d.score,
        coalesce(d.shown, false) AS shown,
        d.ranked_position
    FROM memory_changes AS m
    CROSS JOIN target AS t
    LEFT JOIN display AS d ON d.query_id = m.variant::VARCHAR AND d.uri = $uri::VARCHAR
)
WHERE shown <> $shown::BOOLEAN
QUALIFY row_number() OVER (
    PARTITION BY change ORDER BY CASE change WHEN 'priority' THEN abs(value - former_priority) ELSE value END
) = 1
ORDER BY change
