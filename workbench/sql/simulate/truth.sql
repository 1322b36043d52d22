-- In:  sim_chances (query_id, uri, chance), ranked (what the log shows), sim_prompts, sim_memories, sim_links (client,
--      links); $used: how many memories shall be marked, $seed, $late_ms.
-- Out: one row a (query_id, uri) that a signal returned: the truth about it. helpful is drawn with its chance; opened
--      are $used of the helpful ones that were shown in time (all, where there are fewer), clients with more links first.
SELECT
    query_id,
    node_uuid,
    uri,
    chance,
    helpful,
    shown,
    CASE WHEN can_be_opened
        THEN row_number() OVER (PARTITION BY can_be_opened ORDER BY turn, query_id, uri) <= $used::INTEGER ELSE false
    END AS opened
FROM (
    SELECT
        c.query_id,
        m.node_uuid,
        c.uri,
        c.chance,
        hash(c.query_id, c.uri, 'helpful', $seed::BIGINT) / 18446744073709551616e0 < c.chance AS helpful,
        r.shown,
        helpful AND r.shown AND p.duration_ms <= $late_ms::INTEGER AS can_be_opened,
        -ln((1 + hash(c.query_id, c.uri, 'opened', $seed::BIGINT) / 2e0) / 9223372036854775809e0) / l.links AS turn
    FROM sim_chances AS c
    JOIN ranked AS r ON r.query_id = c.query_id AND r.uri = c.uri
    JOIN sim_prompts AS p ON p.query_id = c.query_id
    JOIN sim_memories AS m ON m.uri = c.uri
    JOIN sim_links AS l ON l.client = p.client_type
)
ORDER BY query_id, uri
