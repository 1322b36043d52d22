-- In:  signal_rows of a retrieval (by signal, arrival), corpus_nodes, misses.
-- Out: one row a missed (query_id, node) and signal that returned it at any depth: its best rank and the score there.
SELECT query_id, node, signal, min(rank) AS rank, arg_min(raw_score, rank) AS raw_score
FROM (
    SELECT
        s.query_id,
        coalesce(n.node_uuid, s.uri) AS node,
        s.signal,
        s.arrival - CASE s.signal
            WHEN 'exact' THEN 0 WHEN 'glossary_semantic' THEN 1000 WHEN 'dense' THEN 2000 ELSE 3000
        END AS rank,
        s.raw_score
    FROM signal_rows AS s
    LEFT JOIN corpus_nodes AS n ON n.uri = s.uri
)
SEMI JOIN misses USING (query_id, node)
GROUP BY query_id, node, signal
