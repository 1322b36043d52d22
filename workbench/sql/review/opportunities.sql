-- In:  judged_log, staged_misses; $boot: whether start-up memories count as missed.
-- Out: one row a node that a prompt of the selection needed: missed and helped (used by a linked open), in prompts.
SELECT node, sum(missed)::BIGINT AS missed, sum(helped)::BIGINT AS helped
FROM (
    SELECT node, 1 AS missed, 0 AS helped FROM staged_misses WHERE stage <> 'boot' OR $boot::BOOLEAN
    UNION ALL
    SELECT node, 0, 1 FROM judged_log WHERE label = 'used'
)
GROUP BY node
ORDER BY missed DESC, helped, node
