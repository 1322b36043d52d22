-- In:  prompts, outcomes, memory_now.
-- Out: one row a prompt. gains: the shown list in order, 1 helpful, 0 not, NULL unknown; used: positives of
--      the prompt, returned or not; marked: those that the log showed, lost: those of them that the list has lost; gone: pairs of unknown worth that the list has lost; shown, logged: lengths of the
--      two lists; common: for each memory in both, the depth at which both have it; tokens: estimate for the contents of
--      what is shown, a third of the characters; contents: for how many of them the content is known.
SELECT
    p.query_id,
    p.client,
    p.session_key,
    coalesce(o.gains, []) AS gains,
    coalesce(o.used, 0) AS used,
    coalesce(o.marked, 0) AS marked,
    coalesce(o.lost, 0) AS lost,
    coalesce(o.gone, 0) AS gone,
    coalesce(o.shown, 0) AS shown,
    coalesce(o.logged, 0) AS logged,
    coalesce(o.common, []) AS common,
    coalesce(o.tokens, 0) AS tokens,
    coalesce(o.contents, 0) AS contents
FROM prompts AS p
LEFT JOIN (
    SELECT
        r.query_id,
        list(
            CASE WHEN r.label IN ('used', 'helpful') THEN 1 WHEN r.label <> 'unknown' THEN 0 END ORDER BY r.place
        )
            FILTER (r.place IS NOT NULL) AS gains,
        count(*) FILTER (r.label IN ('used', 'helpful')) AS used,
        count(*) FILTER (r.label = 'used') AS marked,
        count(*) FILTER (r.outcome = 'used_lost') AS lost,
        count(*) FILTER (r.outcome = 'unjudged_removed') AS gone,
        count(r.place) AS shown,
        count(r.logged_place) AS logged,
        list(greatest(r.place, r.logged_place)) FILTER (r.place IS NOT NULL AND r.logged_place IS NOT NULL) AS common,
        sum(m.tokens) FILTER (r.place IS NOT NULL) AS tokens,
        count(m.tokens) FILTER (r.place IS NOT NULL) AS contents
    FROM outcomes AS r
    LEFT JOIN (
        SELECT node_uuid, ceil(max(length(content)) / 3) AS tokens FROM memory_now GROUP BY node_uuid
    ) AS m ON m.node_uuid = r.node
    GROUP BY r.query_id
) AS o ON o.query_id = p.query_id
