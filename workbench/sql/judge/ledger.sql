-- In:  prompts, outcomes; $by: client, session, or anything else for one row over all.
-- Out: one ledger a group. Every prompt counts, also those for which nothing is shown.
SELECT
    CASE $by::VARCHAR WHEN 'client' THEN p.client WHEN 'session' THEN p.session_key ELSE '' END AS part,
    count(*)::BIGINT AS prompts,
    coalesce(sum(o.shown), 0)::BIGINT AS shown,
    coalesce(sum(o.used_kept), 0)::BIGINT AS used_kept,
    coalesce(sum(o.used_lost), 0)::BIGINT AS used_lost,
    coalesce(sum(o.unused_kept), 0)::BIGINT AS unused_kept,
    coalesce(sum(o.removed), 0)::BIGINT AS removed,
    coalesce(sum(o.newly_shown), 0)::BIGINT AS newly_shown,
    count(*) FILTER (coalesce(o.shown, 0) = 0)::BIGINT AS silent_prompts,
    coalesce(sum(o.unjudged_kept), 0)::BIGINT AS unjudged_kept,
    coalesce(sum(o.unjudged_removed), 0)::BIGINT AS unjudged_removed,
    coalesce(sum(o.newly_helpful), 0)::BIGINT AS newly_helpful,
    coalesce(sum(o.newly_unhelpful), 0)::BIGINT AS newly_unhelpful,
    coalesce(sum(o.missed), 0)::BIGINT AS missed
FROM prompts AS p
LEFT JOIN (
    SELECT
        query_id,
        count(place) AS shown,
        count(*) FILTER (outcome = 'used_kept') AS used_kept,
        count(*) FILTER (outcome = 'used_lost') AS used_lost,
        count(*) FILTER (outcome = 'unused_kept') AS unused_kept,
        count(*) FILTER (outcome = 'removed') AS removed,
        count(*) FILTER (outcome = 'newly_shown') AS newly_shown,
        count(*) FILTER (outcome = 'unjudged_kept') AS unjudged_kept,
        count(*) FILTER (outcome = 'unjudged_removed') AS unjudged_removed,
        count(*) FILTER (outcome = 'newly_helpful') AS newly_helpful,
        count(*) FILTER (outcome = 'newly_unhelpful') AS newly_unhelpful,
        count(*) FILTER (outcome = 'missed') AS missed
    FROM outcomes
    GROUP BY query_id
) AS o ON o.query_id = p.query_id
GROUP BY part
ORDER BY part
