-- In:  label_counts, prompts (judge/prompts.sql), wb.recall_arms.
-- Out: one row a session that two configurations were shared out to: which side (candidate) answered, by what seed and
--      share, its prompts in time, and its memories that were used and that were shown and not used. Prompts without a
--      session were not shared out, nor were any where one side got all.
SELECT
    a.seed,
    a.share,
    a.arm = 'candidate' AS candidate,
    a.session_id,
    count(*)::DOUBLE AS prompts,
    coalesce(sum(l.used), 0)::DOUBLE AS used,
    coalesce(sum(l.unused), 0)::DOUBLE AS unused
FROM wb.recall_arms AS a
JOIN prompts AS p ON p.query_id = a.query_id
LEFT JOIN label_counts AS l ON l.query_id = a.query_id
WHERE a.session_id IS NOT NULL AND a.share > 0 AND a.share < 1 AND NOT p.late
GROUP BY ALL
ORDER BY a.seed, a.share, a.session_id, candidate
