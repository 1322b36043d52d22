-- In:  merge (signals of logged_events), logged_facts, queries, memory_now, memory_events; the configuration that was
--      in force as bound values.
-- Out: the logged candidates without an age: priority is the store's where it explains the logged term, else it is
--      inverted from the term; known_age and memory_age are what the store's time stamps say.
SELECT
    abs(greatest(0, $priority_base::DOUBLE - m.priority * $priority_step::DOUBLE) - f.logged_priority) < 1.5e-6
        AS priority_agrees,
    m.* EXCLUDE (priority, age_days),
    coalesce(n.node_uuid, h.node_uuid) AS node_uuid,
    CASE
        WHEN f.logged_priority IS NULL OR priority_agrees OR $priority_step::DOUBLE <= 0 THEN coalesce(m.priority, 0)
        WHEN f.logged_priority > 0 THEN round(($priority_base::DOUBLE - f.logged_priority) / $priority_step::DOUBLE)
        ELSE greatest(coalesce(m.priority, 0), ceil($priority_base::DOUBLE / $priority_step::DOUBLE - 1e-9))
    END::INTEGER AS priority,
    CASE
        WHEN m.priority IS NOT NULL AND (f.logged_priority IS NULL OR priority_agrees) THEN 'store'
        WHEN f.logged_priority > 0 THEN 'logged_term'
        WHEN f.logged_priority = 0 THEN 'at_least'
        ELSE 'assumed'
    END AS priority_source,
    NULL::DOUBLE AS age_days,
    m.age_days AS known_age,
    greatest(0, epoch_ms(q.now) - epoch_ms(n.created_at)) / 864e5 AS memory_age,
    f.* EXCLUDE (query_id, uri)
FROM merge AS m
JOIN logged_facts AS f ON f.query_id = m.query_id AND f.uri = m.uri
JOIN queries AS q ON q.query_id = m.query_id
LEFT JOIN memory_now AS n ON n.uri = m.uri
LEFT JOIN (
    SELECT node_uri, arg_max(node_uuid, created_at) AS node_uuid FROM memory_events GROUP BY node_uri
) AS h ON h.node_uri = m.uri
