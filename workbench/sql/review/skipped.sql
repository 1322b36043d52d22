-- In:  placed_opens, wb.agent_prompts, wb.agent_searches, wb.logged_queries, recall_queries, boot_uris; the bound values
--      of selected.sql.
-- Out: as misses.sql, for prompts that an agent was given and of which no recall was logged although the log was being
--      written: each memory that was opened before the session's next prompt. query_id is that of no query but the
--      prompt's own identifier. A recall of the same text at the same time is taken for the prompt's, whatever its session.
SELECT
    prompt_id AS query_id,
    node,
    arg_min(address, opened_at) AS uri,
    false AS logged,
    any_value(prompted_at) AS now,
    any_value(client) AS client,
    'session ' || any_value(session) AS session_key,
    any_value(query_text) AS query_text,
    false AS late,
    NULL::VARCHAR AS hand,
    min(opened_at) FILTER (searched) AS opened_after_search,
    min(opened_at) FILTER (NOT searched) AS opened_unlinked,
    NULL::VARCHAR AS used_alike,
    NULL::DOUBLE AS estimate
FROM (
    SELECT
        p.prompt_id,
        p.prompted_at,
        p.query_text,
        coalesce(p.client_type, '') AS client,
        o.session,
        o.node,
        o.address,
        o."at" AS opened_at,
        EXISTS (
            SELECT 1
            FROM wb.agent_searches AS f
            WHERE f.session_id = o.session AND f.searched_at BETWEEN o.turn_at AND o."at"
                AND list_contains(f.uris, o.address)
        ) AS searched
    FROM placed_opens AS o
    JOIN wb.agent_prompts AS p ON p.source = o.source AND p.session_id = o.session AND p.prompted_at = o.turn_at
    WHERE o.query_id IS NULL
        AND o.found IS DISTINCT FROM false
        AND o.address NOT IN (SELECT b.uri FROM boot_uris AS b)
        AND p.prompted_at BETWEEN (SELECT min(now) FROM wb.logged_queries) AND (SELECT max(now) FROM wb.logged_queries)
        AND NOT EXISTS (
            SELECT 1
            FROM recall_queries AS r
            WHERE r.query_text = trim(p.query_text)
                AND r.created_at BETWEEN p.prompted_at - INTERVAL 2 MINUTE AND p.prompted_at + INTERVAL 2 MINUTE
        )
        AND ($traffic::VARCHAR[] IS NULL OR list_contains($traffic::VARCHAR[], 'prompt'))
        AND ($clients::VARCHAR[] IS NULL OR list_contains($clients::VARCHAR[], client))
        AND ($text::VARCHAR IS NULL OR contains(lower(p.query_text), lower($text::VARCHAR)))
        AND ($since::TIMESTAMPTZ IS NULL OR p.prompted_at >= $since::TIMESTAMPTZ)
        AND ($until::TIMESTAMPTZ IS NULL OR p.prompted_at < $until::TIMESTAMPTZ)
        AND $query_ids::VARCHAR[] IS NULL
)
GROUP BY prompt_id, node
