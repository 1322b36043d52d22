-- In:  reached (reached.sql); $thresholds, the display thresholds that are asked about.
-- Out: one row a threshold, lowest first: what is shown there, counted as in quick_ledger.sql.
SELECT
    asked.threshold,
    coalesce(sum(p.shown) OVER higher, 0)::BIGINT AS shown,
    coalesce(sum(p.used_kept) OVER higher, 0)::BIGINT AS used_kept,
    coalesce(sum(p.unused_kept) OVER higher, 0)::BIGINT AS unused_kept,
    coalesce(sum(p.newly_shown) OVER higher, 0)::BIGINT AS newly_shown,
    coalesce(sum(p.unjudged_kept) OVER higher, 0)::BIGINT AS unjudged_kept,
    coalesce(sum(p.newly_helpful) OVER higher, 0)::BIGINT AS newly_helpful,
    coalesce(sum(p.newly_unhelpful) OVER higher, 0)::BIGINT AS newly_unhelpful,
    coalesce(sum(s.spoken) OVER higher, 0)::BIGINT AS spoken
FROM (SELECT unnest($thresholds::DOUBLE[]) AS threshold) AS asked
LEFT JOIN (
    SELECT
        t.threshold,
        count(*) AS shown,
        count(*) FILTER (r.label = 1) AS used_kept,
        count(*) FILTER (r.label = 0) AS unused_kept,
        count(*) FILTER (r.label IS NULL) AS newly_shown,
        count(*) FILTER (r.label = -1) AS unjudged_kept,
        count(*) FILTER (r.label = 2) AS newly_helpful,
        count(*) FILTER (r.label = -2) AS newly_unhelpful
    FROM reached AS r
    ASOF JOIN (SELECT unnest($thresholds::DOUBLE[]) AS threshold) AS t ON r.reach >= t.threshold
    GROUP BY t.threshold
) AS p ON p.threshold = asked.threshold
LEFT JOIN (
    SELECT t.threshold, count(*) AS spoken
    FROM (SELECT query_id, max(reach) AS reach FROM reached GROUP BY query_id) AS q
    ASOF JOIN (SELECT unnest($thresholds::DOUBLE[]) AS threshold) AS t ON q.reach >= t.threshold
    GROUP BY t.threshold
) AS s ON s.threshold = asked.threshold
WINDOW higher AS (ORDER BY asked.threshold DESC)
ORDER BY asked.threshold
