-- In:  traffic (the logged queries with their class), recall_queries; bound filter values, NULL where a filter is off.
-- Out: the queries that the filter leaves. One filter serves every figure, list, chart and export. The text filter is
--      literal; the client '' stands for queries that name none; of a repeated text once keeps the first sending.
SELECT l.*
FROM traffic AS l
JOIN recall_queries AS r ON r.query_id = l.query_id
WHERE ($traffic::VARCHAR[] IS NULL OR list_contains($traffic::VARCHAR[], l.traffic))
    AND ($clients::VARCHAR[] IS NULL OR list_contains($clients::VARCHAR[], coalesce(l.client_type, '')))
    AND ($text::VARCHAR IS NULL OR contains(lower(r.query_text), lower($text::VARCHAR)))
    AND ($since::TIMESTAMPTZ IS NULL OR l.now >= $since::TIMESTAMPTZ)
    AND ($until::TIMESTAMPTZ IS NULL OR l.now < $until::TIMESTAMPTZ)
    AND ($replayable::BOOLEAN IS NULL OR l.replayable = $replayable::BOOLEAN)
    AND ($query_ids::VARCHAR[] IS NULL OR list_contains($query_ids::VARCHAR[], l.query_id))
QUALIFY $once::BOOLEAN IS NULL
    OR row_number() OVER (PARTITION BY r.query_text ORDER BY l.now, l.query_id) = 1
