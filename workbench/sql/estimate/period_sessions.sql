-- In:  in_period (query_id, period: 0 or 1), prompts, label_counts.
-- Out: one row a (session, client, period): prompts in time, and their memories that were used and that were shown and
--      not used.
SELECT
    p.session_key,
    p.client,
    i.period,
    count(*)::DOUBLE AS prompts,
    coalesce(sum(l.used), 0)::DOUBLE AS used,
    coalesce(sum(l.unused), 0)::DOUBLE AS unused
FROM prompts AS p
JOIN in_period AS i ON i.query_id = p.query_id
LEFT JOIN label_counts AS l ON l.query_id = p.query_id
WHERE NOT p.late
GROUP BY ALL
ORDER BY ALL
