-- In:  sim_candidates (merge.sql), sim_prompts, sim_chances; $clients, NULL for all; $since and $until, parts of the time.
-- Out: the candidates of the typed prompts of these clients and this time that have no chances yet.
SELECT c.*
FROM sim_candidates AS c
JOIN (
    SELECT
        query_id,
        client_type,
        (epoch_ms(now) - min(epoch_ms(now)) OVER ()) / greatest(1, max(epoch_ms(now)) OVER () - min(epoch_ms(now)) OVER ())
            AS part
    FROM sim_prompts
    WHERE typed
) AS p ON p.query_id = c.query_id
WHERE ($clients::VARCHAR[] IS NULL OR list_contains($clients::VARCHAR[], p.client_type))
    AND p.part >= $since::DOUBLE
    AND (p.part < $until::DOUBLE OR $until::DOUBLE >= 1)
    AND c.query_id NOT IN (SELECT d.query_id FROM sim_chances AS d)
