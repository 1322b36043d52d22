-- In:  prompts, log (judge.sql), traffic, memory_now, recall_events, recall_queries, wb.logged_candidates.
-- Out: number, step, count, why, whole, split: the way from raw rows to each denominator of the report. The steps that
--      share a whole and a split add up to the step of that name; a step without them stands beside.
SELECT * FROM (
    WITH raw AS (
        SELECT total, unattributed
        FROM (SELECT count(*) AS total FROM recall_events)
        CROSS JOIN (
            SELECT count(*) AS unattributed
            FROM recall_events
            -- The metadata of a row that names its query are never parsed.
            WHERE nullif(query_id, '') IS NULL AND nullif(json_extract_string(metadata, '$.query_id'), '') IS NULL
        )
    ),
    picked AS (
        SELECT
            count(*) AS total,
            count(DISTINCT r.query_text) AS texts,
            count(DISTINCT p.session_key) AS sessions,
            count(*) FILTER (p.late) AS late,
            count(*) FILTER (t.replayable) AS replayable,
            count(*) FILTER (p.query_id IN (SELECT l.query_id FROM log AS l)) AS speaking,
            count(*) FILTER (p.query_id IN (SELECT l.query_id FROM log AS l WHERE l.label = 'used')) AS helped
        FROM prompts AS p
        JOIN recall_queries AS r ON r.query_id = p.query_id
        JOIN traffic AS t ON t.query_id = p.query_id
    ),
    pairs AS (
        SELECT
            count(*) AS total,
            coalesce(sum(uris), 0)::BIGINT AS addresses,
            count(*) FILTER (
                node NOT IN (SELECT n.node_uuid FROM memory_now AS n WHERE n.memory_id IS NOT NULL)
                AND (node <> uri OR uri NOT IN (SELECT n.uri FROM memory_now AS n WHERE n.memory_id IS NOT NULL))
            ) AS deleted,
            count(*) FILTER (mark = 'linked') AS linked,
            count(*) FILTER (mark = 'blanket') AS blanket,
            count(*) FILTER (label = 'unknown') AS unknown,
            count(*) FILTER (label = 'unknown' AND mark IS NULL) AS undelivered,
            count(*) FILTER (label = 'used') AS used
        FROM log
    ),
    logged AS (SELECT count(*) AS total FROM traffic)
    SELECT 10 AS number, 'logged signal rows' AS step, total AS count, 'rows of recall_events' AS why,
        NULL AS whole, NULL AS split
    FROM raw
    UNION ALL
    SELECT 20, 'rows of a query', total - unattributed, 'several a candidate: one a signal and view',
        'logged signal rows', 'query'
    FROM raw
    UNION ALL
    SELECT 21, 'unattributed rows', unattributed,
        'name no query, neither in their column nor in their metadata: never a query', 'logged signal rows', 'query'
    FROM raw
    UNION ALL
    SELECT 30, 'logged queries', count(*), 'distinct query ids', NULL, NULL FROM recall_queries
    UNION ALL
    SELECT 40 + t.place, 'of these ' || t.name, count(l.query_id), t.why, 'logged queries', 'traffic'
    FROM (VALUES
        (1, 'prompt', 'typed by somebody: the default selection'),
        (2, 'startup', 'session boot: runtime, directory or repository name'),
        (3, 'search', 'an agent searched for this text: known from transcripts and the service'),
        (4, 'console', 'session recall-ui-debug or client admin'),
        (5, 'heartbeat', 'pings of a platform')
    ) AS t(place, name, why)
    LEFT JOIN traffic AS l ON l.traffic = t.name
    GROUP BY t.place, t.name, t.why
    UNION ALL
    SELECT 50, 'selected prompts', total, 'pass the filter: denominator of shown per prompt and noise',
        'logged queries', 'filter'
    FROM picked
    UNION ALL
    SELECT 51, 'left out by the filter', l.total - p.total, 'another class, client, text or time', 'logged queries', 'filter'
    FROM picked AS p, logged AS l
    UNION ALL
    SELECT 52, 'distinct texts', texts, 'different prompts', 'selected prompts', 'text' FROM picked
    UNION ALL
    SELECT 53, 'repeats of a text', total - texts,
        'each sending weighs as much as a prompt of its own (--repeats once: the first alone)', 'selected prompts', 'text'
    FROM picked
    UNION ALL
    SELECT 54, 'sessions', sessions, 'what intervals resample', NULL, NULL FROM picked
    UNION ALL
    SELECT 60, 'late prompts', late, 'over their time limit, reached nobody: their unused are no negatives',
        'selected prompts', 'delivery'
    FROM picked
    UNION ALL
    SELECT 61, 'prompts in time', total - late, 'also those whose duration is not known', 'selected prompts', 'delivery'
    FROM picked
    UNION ALL
    SELECT 70, 'replayable prompts', replayable,
        'the signals of all candidates are logged: what a replay and a tuning see', 'selected prompts', 'signals'
    FROM picked
    UNION ALL
    SELECT 71, 'prompts without all signals', total - replayable, 'left out of a replay from the log',
        'selected prompts', 'signals'
    FROM picked
    UNION ALL
    SELECT 80, 'prompts that show a memory', speaking, 'with one memory or more', 'selected prompts', 'display' FROM picked
    UNION ALL
    SELECT 81, 'silent prompts', total - speaking, 'nothing was shown: they stay in figures per prompt',
        'selected prompts', 'display'
    FROM picked
    UNION ALL
    SELECT 90, 'shown addresses', addresses, 'shown (query, address) rows', NULL, NULL FROM pairs
    UNION ALL
    SELECT 100, 'shown memories', total, 'shown (query, memory) pairs: two addresses of a memory are one', 'shown addresses',
        'memory'
    FROM pairs
    UNION ALL
    SELECT 101, 'second addresses', addresses - total, 'of a memory that the same prompt shows already', 'shown addresses',
        'memory'
    FROM pairs
    UNION ALL
    SELECT 110, 'of these deleted since', deleted, 'no memory of the store has the node, or the address of an unknown one',
        NULL, NULL
    FROM pairs
    UNION ALL
    SELECT 120, 'marked by a linked open', linked, 'the mark names the memory', 'shown memories', 'mark' FROM pairs
    UNION ALL
    SELECT 121, 'marked in bulk', blanket, 'every shown memory of the query at once: weak evidence', 'shown memories', 'mark'
    FROM pairs
    UNION ALL
    SELECT 122, 'without a mark', total - linked - blanket, 'no open was linked: not used, as far as is known',
        'shown memories', 'mark'
    FROM pairs
    UNION ALL
    SELECT 130, 'evidence set aside', unknown, 'late or marked by a source that does not count', 'shown memories', 'evidence'
    FROM pairs
    UNION ALL
    SELECT 131, 'of these delivered late', undelivered, 'nobody saw them', 'evidence set aside', 'reason' FROM pairs
    UNION ALL
    SELECT 132, 'of these marked only weakly', unknown - undelivered, 'the mark is of a source that does not count',
        'evidence set aside', 'reason'
    FROM pairs
    UNION ALL
    SELECT 140, 'judged memories', total - unknown, 'denominator of the use rate', 'shown memories', 'evidence' FROM pairs
    UNION ALL
    SELECT 150, 'used memories', used, 'numerator of the use rate', 'judged memories', 'use' FROM pairs
    UNION ALL
    SELECT 151, 'shown and not used', total - unknown - used, 'the others', 'judged memories', 'use' FROM pairs
    UNION ALL
    SELECT 160, 'prompts with a used memory', helped, 'denominator of recall, MRR and nDCG', 'prompts that show a memory',
        'help'
    FROM picked
    UNION ALL
    SELECT 161, 'prompts without a used memory', speaking - helped, 'in noise and use rate, not in recall, MRR and nDCG',
        'prompts that show a memory', 'help'
    FROM picked
)
ORDER BY number, step
