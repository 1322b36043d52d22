-- In:  sim_rows, sim_prompts, sim_memories: numbered signal rows, prompts and memories of a simulated world.
-- Out: the signal rows that merge.sql takes, with the keyword and the flags of a row.
SELECT
    p.query_id,
    m.uri,
    r.signal,
    r.view_type,
    r.raw_score,
    r.weight,
    m.priority,
    CASE r.signal WHEN 'exact' THEN m.created_at WHEN 'glossary_semantic' THEN m.glossary_at ELSE m.views_at END
        AS updated_at,
    r.arrival,
    r.keyword,
    r.flags
FROM sim_rows AS r
JOIN sim_prompts AS p ON p.query_no = r.query_no
JOIN sim_memories AS m ON m.memory_no = r.memory_no
