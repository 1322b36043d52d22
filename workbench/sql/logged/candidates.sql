-- In:  merge (signals of logged_events), logged_facts, queries, memory_now, identity; the configuration that was in force
--      as bound values.
-- Out: the logged candidates without an age: priority is the store's where it explains the logged term, else it is
--      inverted from the term; known_age and memory_age are what the store's time stamps say. The node is
--      the one that the address stood for at the time of the prompt.
SELECT
    abs(greatest(0, $priority_base::DOUBLE - m.priority * $priority_step::DOUBLE) - f.logged_priority) < 1.5e-6
        AS priority_agrees,
    m.* EXCLUDE (priority, age_days),
    i.node_uuid,
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
    CASE
        WHEN n.created_at IS NOT NULL THEN greatest(0, epoch_ms(q.now) - epoch_ms(n.created_at)) / 864e5
    END AS memory_age,
    f.* EXCLUDE (query_id, uri)
FROM merge AS m
JOIN logged_facts AS f ON f.query_id = m.query_id AND f.uri = m.uri
JOIN queries AS q ON q.query_id = m.query_id
LEFT JOIN memory_now AS n ON n.uri = m.uri
LEFT JOIN identity AS i ON i.uri = m.uri
    AND i.valid_from <= coalesce(q.now, 'infinity'::TIMESTAMPTZ)
    AND (i.valid_to IS NULL OR coalesce(q.now, 'infinity'::TIMESTAMPTZ) < i.valid_to)
