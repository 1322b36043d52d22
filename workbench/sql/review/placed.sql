-- In:  display (every scored candidate of the prompts), misses; $source: logged or engine.
-- Out: one row a missed (query_id, node) that was a candidate: the address nearest to being shown, its rank and score,
--      and what was shown instead. Of logged candidates the log's own rank, score and shown list count, because that is what
--      happened. engine_shows: the engine would have shown it, although production did not.
WITH facts AS (
    SELECT
        query_id,
        uri,
        coalesce(node_uuid, uri) AS node,
        is_boot,
        exact,
        CASE WHEN $source::VARCHAR = 'logged' THEN coalesce(logged_position, ranked_position) ELSE ranked_position END
            AS rank,
        CASE WHEN $source::VARCHAR = 'logged' THEN coalesce(round(logged_score, 6), score) ELSE score END AS score,
        CASE WHEN $source::VARCHAR = 'logged' THEN logged_shown ELSE shown END AS is_shown,
        CASE WHEN $source::VARCHAR = 'logged' THEN logged_displayed_position ELSE displayed_position END AS place
    FROM display
)
SELECT
    f.query_id,
    f.node,
    f.uri AS candidate,
    $source::VARCHAR AS source,
    f.rank,
    f.score,
    f.exact,
    f.is_boot,
    f.is_shown AS engine_shows,
    coalesce(c.crowd, []) AS crowd
FROM facts AS f
SEMI JOIN misses AS m ON m.query_id = f.query_id AND m.node = f.node
LEFT JOIN (
    SELECT query_id, list({'uri': uri, 'score': score} ORDER BY coalesce(place, rank), uri) AS crowd
    FROM facts
    WHERE is_shown
    GROUP BY query_id
) AS c ON c.query_id = f.query_id
QUALIFY row_number() OVER (PARTITION BY f.query_id, f.node ORDER BY f.is_boot, f.rank, f.uri) = 1
