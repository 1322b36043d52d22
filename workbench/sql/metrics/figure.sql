-- In:  measured (one row a prompt: judged, unhelpful, low, high, the weights judged_n and n, optional); $by: client,
--      session, or anything else for one row over all.
-- Out: one row a group: prompts, and the means of the readings with the number they are over, NULL where that is 0. The
--      range is that of the mean: optional prompts enter it where that lowers or raises it. Sums are rounded, because the
--      order of adding is not the same on every run.
SELECT *
FROM (
    WITH parted AS (
        SELECT
            CASE $by::VARCHAR WHEN 'client' THEN client WHEN 'session' THEN session_key ELSE '' END AS part,
            judged, judged_n, unhelpful, n, low, high, optional
        FROM measured
    ),
    base AS (
        SELECT
            part,
            count(*) AS prompts,
            round(coalesce(sum(judged) FILTER (judged_n > 0), 0)::DOUBLE, 12) AS judged,
            sum(judged_n)::BIGINT AS judged_n,
            round(coalesce(sum(unhelpful) FILTER (n > 0), 0)::DOUBLE, 12) AS unhelpful,
            sum(n)::BIGINT AS n,
            round(coalesce(sum(low) FILTER (n > 0), 0)::DOUBLE, 12) AS low,
            round(coalesce(sum(high) FILTER (n > 0), 0)::DOUBLE, 12) AS high
        FROM parted
        GROUP BY part
    ),
    lowest AS (
        SELECT part, min((low + entered_sum) / (n + entered)) AS low
        FROM (
            SELECT
                b.part, b.low, b.n,
                sum(g.value * g.times) OVER (PARTITION BY b.part ORDER BY g.value) AS entered_sum,
                sum(g.times) OVER (PARTITION BY b.part ORDER BY g.value) AS entered
            FROM base AS b
            JOIN (SELECT part, low AS value, count(*) AS times FROM parted WHERE optional GROUP BY ALL) AS g USING (part)
        )
        GROUP BY part
    ),
    highest AS (
        SELECT part, max((high + entered_sum) / (n + entered)) AS high
        FROM (
            SELECT
                b.part, b.high, b.n,
                sum(g.value * g.times) OVER (PARTITION BY b.part ORDER BY g.value DESC) AS entered_sum,
                sum(g.times) OVER (PARTITION BY b.part ORDER BY g.value DESC) AS entered
            FROM base AS b
            JOIN (SELECT part, high AS value, count(*) AS times FROM parted WHERE optional GROUP BY ALL) AS g USING (part)
        )
        GROUP BY part
    )
    SELECT
        b.part,
        b.prompts,
        b.judged / nullif(b.judged_n, 0) AS judged,
        b.judged_n,
        b.unhelpful / nullif(b.n, 0) AS unhelpful,
        b.n,
        least(b.low / nullif(b.n, 0), l.low) AS low,
        greatest(b.high / nullif(b.n, 0), h.high) AS high
    FROM base AS b
    LEFT JOIN lowest AS l ON l.part = b.part
    LEFT JOIN highest AS h ON h.part = b.part
)
ORDER BY part
