-- In:  reached (reached.sql), prompts (judge.sql), recall_queries; $low and $high, two display thresholds; $most, a
--      number of rows.
-- Out: the memories that are shown at the lower threshold and not at the higher one, used ones first, with the prompt;
--      label as in labelled.sql, total how many there are in all.
SELECT
    p.query_id,
    p.now,
    q.query_text,
    p.client,
    r.uri,
    r.reach,
    r.label,
    count(*) OVER () AS total
FROM reached AS r
JOIN (
    SELECT query_id, now, client, row_number() OVER (ORDER BY now, query_id) AS number
    FROM prompts
) AS p ON p.number = r.query_id
JOIN recall_queries AS q ON q.query_id = p.query_id
WHERE r.reach >= $low::DOUBLE AND r.reach < $high::DOUBLE
ORDER BY r.label = 1 DESC NULLS LAST, r.label = 0 DESC NULLS LAST, p.now DESC, p.query_id, r.uri
LIMIT $most
