-- In:  display (display.sql over the candidates that reach the threshold).
-- Out: the memories that the configuration shows, best first.
SELECT query_id, uri, node_uuid, score, ranked_position, displayed_position, is_boot, logged_shown, used
FROM display
WHERE shown
