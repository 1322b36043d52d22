-- In:  node_scores (node_scores.sql over the candidates of the flipped queries), listed_flips (flips.sql); $threshold, $places.
-- Out: number, margin: by how much the memory of each flip, in the order of (query_id, node), lies above what keeps it
--      from being shown: the threshold, or the worst of the $places best other memories of its prompt. NULL for a memory
--      that is no candidate.
SELECT
    row_number() OVER (ORDER BY f.query_id, f.node) AS number,
    n.score - greatest(
        $threshold::DOUBLE,
        coalesce(q.scores[CASE WHEN n.place <= $places::INTEGER THEN $places::INTEGER + 1 ELSE $places::INTEGER END], 0)
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
