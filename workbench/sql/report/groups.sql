-- In:  prompts, parted; $by, $zone.
-- Out: one row a part: prompts (with client, day and week all of them, else those that show such a memory), how many
--      show nothing, shown pairs by label, and how used and judged pairs spread over sessions: sums over the sessions of
--      used squared, used times judged, judged squared.
SELECT
    coalesce(p.part, s.part) AS part,
    coalesce(p.prompts, s.prompts) AS prompts,
    coalesce(p.prompts - coalesce(s.prompts, 0), 0) AS silent_prompts,
    coalesce(s.shown, 0) AS shown,
    coalesce(s.used, 0) AS used,
    coalesce(s.shown_unused, 0) AS shown_unused,
    coalesce(s.unknown, 0) AS unknown,
    coalesce(s.used_squared, 0)::DOUBLE AS used_squared,
    coalesce(s.used_judged, 0)::DOUBLE AS used_judged,
    coalesce(s.judged_squared, 0)::DOUBLE AS judged_squared
FROM (
    SELECT
        CASE $by::VARCHAR
            WHEN 'client' THEN client
            WHEN 'day' THEN strftime(timezone($zone::VARCHAR, now), '%Y-%m-%d')
            ELSE strftime(timezone($zone::VARCHAR, now), '%G-W%V')
        END AS part,
        count(*) AS prompts
    FROM prompts
    WHERE $by::VARCHAR IN ('client', 'day', 'week')
    GROUP BY part
) AS p
FULL JOIN (
    SELECT
        part,
        sum(prompts)::BIGINT AS prompts,
        sum(shown)::BIGINT AS shown,
        sum(used)::BIGINT AS used,
        sum(shown_unused)::BIGINT AS shown_unused,
        sum(unknown)::BIGINT AS unknown,
        sum(used * used) AS used_squared,
        sum(used * (used + shown_unused)) AS used_judged,
        sum((used + shown_unused) * (used + shown_unused)) AS judged_squared
    FROM (
        SELECT
            part,
            session_key,
            count(DISTINCT query_id) AS prompts,
            count(*) AS shown,
            count(*) FILTER (label = 'used') AS used,
            count(*) FILTER (label = 'shown_unused') AS shown_unused,
            count(*) FILTER (label = 'unknown') AS unknown
        FROM parted
        GROUP BY part, session_key
    )
    GROUP BY part
) AS s ON s.part = p.part
ORDER BY part
