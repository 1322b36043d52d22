-- In:  memory_views, glossary_term_embeddings, glossary_keywords, present_addresses, memories, nodes; $gap_seconds,
--      $least_rows, $least_share (for addresses $least_share_moved).
-- Out: one row a rebuild: kind (view, term, keyword, address), first, last, rows, share of all rows of that kind. It is a
--      run of time stamps, none further than the gap from the next, of rows whose memory is older than the run by more
--      than the gap; fewer than the least rows, or a smaller share, are ordinary edits. A good part of the addresses may move
--      at once, so they need a larger share.
SELECT kind, first, last, rows, rows / total AS share
FROM (
    SELECT kind, run, min(stamp) AS first, max(stamp) AS last, count(*) AS rows, any_value(total) AS total
    FROM (
        SELECT
            *,
            count(*) FILTER (new_run) OVER (PARTITION BY kind ORDER BY stamp, new_run DESC ROWS UNBOUNDED PRECEDING) AS run
        FROM (
            SELECT
                *,
                coalesce(stamp - lag(stamp) OVER (PARTITION BY kind ORDER BY stamp) > to_seconds($gap_seconds::BIGINT), true)
                    AS new_run
            FROM (
                SELECT *, count(*) OVER (PARTITION BY kind) AS total FROM (
                    SELECT 'view' AS kind, v.updated_at AS stamp, m.created_at AS origin
                    FROM memory_views AS v
                    LEFT JOIN memories AS m ON m.id = v.memory_id
                    UNION ALL
                    SELECT 'term', t.updated_at, m.created_at
                    FROM glossary_term_embeddings AS t
                    LEFT JOIN memories AS m ON m.id = t.memory_id
                    UNION ALL
                    SELECT 'keyword', k.created_at, n.created_at
                    FROM glossary_keywords AS k
                    LEFT JOIN nodes AS n ON n.uuid = k.node_uuid
                    UNION ALL
                    SELECT 'address', p.created_at, p.node_created_at FROM present_addresses AS p
                )
            )
            WHERE stamp > origin + to_seconds($gap_seconds::BIGINT)
        )
    )
    GROUP BY kind, run
)
WHERE rows >= $least_rows::BIGINT AND rows >= total * CASE kind WHEN 'address' THEN $least_share_moved::DOUBLE ELSE $least_share::DOUBLE END
