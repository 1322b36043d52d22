-- In:  prompts, log (judge.sql), memory_now, recall_events, recall_queries, wb.logged_queries, wb.logged_candidates.
-- Out: number, step, count, why: the way from raw rows to each denominator of the report.
SELECT * FROM (
    SELECT 10 AS number, 'logged signal rows' AS step, count(*) AS count, 'rows of recall_events' AS why
    FROM recall_events
    UNION ALL
    SELECT
        20, 'unattributed rows', count(*), 'name no query, neither in their column nor in their metadata: never a query'
    FROM recall_events
    WHERE nullif(query_id, '') IS NULL AND nullif(json_extract_string(metadata, '$.query_id'), '') IS NULL
    UNION ALL
    SELECT 30, 'logged queries', count(*), 'distinct query ids' FROM recall_queries
    UNION ALL
    SELECT 40, 'of these ' || t.traffic, count(l.query_id), t.why
    FROM (VALUES
        ('prompt', 'typed by somebody: the default selection'),
        ('startup', 'session boot: runtime, directory or repository name'),
        ('console', 'session recall-ui-debug or client admin'),
        ('heartbeat', 'pings of a platform')
    ) AS t(traffic, why)
    LEFT JOIN wb.logged_queries AS l ON l.traffic = t.traffic
    GROUP BY ALL
    UNION ALL
    SELECT 50, 'selected prompts', count(*), 'pass the filter: denominator of shown per prompt and noise' FROM prompts
    UNION ALL
    SELECT 51, 'distinct texts', count(DISTINCT r.query_text), 'a repeated prompt counts each time that it was sent'
    FROM prompts AS p
    JOIN recall_queries AS r ON r.query_id = p.query_id
    UNION ALL
    SELECT 52, 'sessions', count(DISTINCT session_key), 'what intervals resample' FROM prompts
    UNION ALL
    SELECT 60, 'late prompts', count(*), 'over their time limit, reached nobody: their unused are no negatives'
    FROM prompts
    WHERE late
    UNION ALL
    SELECT 70, 'replayable prompts', count(*), 'the signals of all candidates are logged: what a replay and a tuning see'
    FROM wb.logged_queries AS l
    WHERE l.replayable AND l.query_id IN (SELECT p.query_id FROM prompts AS p)
    UNION ALL
    SELECT 80, 'prompts that show a memory', count(DISTINCT query_id), 'the others are silent' FROM log
    UNION ALL
    SELECT 90, 'shown addresses', coalesce(sum(uris), 0), 'shown (query, address) rows' FROM log
    UNION ALL
    SELECT 100, 'shown memories', count(*), 'shown (query, memory) pairs: two addresses of a memory are one' FROM log
    UNION ALL
    SELECT 110, 'of these deleted since', count(*), 'no memory of the store has the node, or the address of an unknown one'
    FROM log
    WHERE node NOT IN (SELECT n.node_uuid FROM memory_now AS n WHERE n.memory_id IS NOT NULL)
        AND (node <> uri OR uri NOT IN (SELECT n.uri FROM memory_now AS n WHERE n.memory_id IS NOT NULL))
    UNION ALL
    SELECT 120, 'marked by a linked open', count(*) FILTER (mark = 'linked'), 'the mark names the memory' FROM log
    UNION ALL
    SELECT
        121, 'marked in bulk', count(*) FILTER (mark = 'blanket'), 'every shown memory of the query at once: weak evidence'
    FROM log
    UNION ALL
    SELECT 130, 'evidence set aside', count(*) FILTER (label = 'unknown'), 'late or marked by a source that does not count'
    FROM log
    UNION ALL
    SELECT 140, 'judged memories', count(*) FILTER (label <> 'unknown'), 'denominator of the use rate' FROM log
    UNION ALL
    SELECT 150, 'used memories', count(*) FILTER (label = 'used'), 'numerator of the use rate' FROM log
    UNION ALL
    SELECT
        160, 'prompts with a used memory', count(DISTINCT query_id) FILTER (label = 'used'),
        'denominator of recall, MRR and nDCG'
    FROM log
)
ORDER BY number, step
