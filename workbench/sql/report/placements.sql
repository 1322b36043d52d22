-- In:  log (judge.sql).
-- Out: one row a session with a used or unused score: the placements of its used memories (share of all unused ones
--      that score lower, half of the ties) and of its unused ones (share of all used ones that score higher), summed and
--      counted. The mean placement of either kind is the AUC of the score inside the shown set.
SELECT
    round(coalesce(sum((s.unused_below + s.unused / 2) / t.unused) FILTER (l.label = 'used'), 0)::DOUBLE, 12)
        AS used_placements,
    count(*) FILTER (l.label = 'used')::DOUBLE AS used,
    round(coalesce(sum((s.used_above + s.used / 2) / t.used) FILTER (l.label = 'shown_unused'), 0)::DOUBLE, 12)
        AS unused_placements,
    count(*) FILTER (l.label = 'shown_unused')::DOUBLE AS unused,
    1e0 AS sessions
FROM log AS l
JOIN (
    SELECT
        score,
        used,
        unused,
        sum(unused) OVER (ORDER BY score) - unused AS unused_below,
        sum(used) OVER (ORDER BY score DESC) - used AS used_above
    FROM (
        SELECT
            score,
            count(*) FILTER (label = 'used') AS used,
            count(*) FILTER (label = 'shown_unused') AS unused
        FROM log
        WHERE label <> 'unknown' AND score IS NOT NULL
        GROUP BY score
    )
) AS s ON s.score = l.score
CROSS JOIN (
    SELECT
        nullif(count(*) FILTER (label = 'used'), 0) AS used,
        nullif(count(*) FILTER (label = 'shown_unused'), 0) AS unused
    FROM log
    WHERE score IS NOT NULL
) AS t
WHERE l.label <> 'unknown'
GROUP BY l.session_key
ORDER BY l.session_key
