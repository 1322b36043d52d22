-- In:  node_scores (node_scores.sql over the candidates of the flipped queries), listed_flips (flips.sql); the bound values
--      $min_display_score and $max_display_items.
-- Out: number, margin: by how much the memory of each flip, in the order of (query_id, node), lies above what keeps it
--      from being shown: the threshold, or the worst of the other memories of its prompt that would fill the display. NULL
--      for a memory that is no candidate.
SELECT
    row_number() OVER (ORDER BY f.query_id, f.node) AS number,
    n.score - greatest(
        $min_display_score::DOUBLE,
        coalesce(q.scores[$max_display_items::INTEGER + (n.place <= $max_display_items::INTEGER)::INTEGER], 0)
    ) AS margin
FROM listed_flips AS f
LEFT JOIN (
    SELECT query_id, node, score, row_number() OVER (PARTITION BY query_id ORDER BY score DESC, node) AS place
    FROM node_scores
) AS n ON n.query_id = f.query_id AND n.node = f.node
LEFT JOIN (
    SELECT query_id, list(score ORDER BY score DESC) AS scores
    FROM node_scores
    GROUP BY query_id
) AS q ON q.query_id = f.query_id
ORDER BY number
