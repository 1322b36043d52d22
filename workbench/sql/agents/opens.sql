-- In:  the table {queries} (query_id), wb.agent_opens.
-- Out: the opens of the service that found a memory and handed over the query_id of one of those queries, oldest first:
--      address, query_id, the session_id that was handed over, client and time.
SELECT
    uri,
    given_query_id,
    given_session_id,
    client_type,
    strftime(opened_at, '%Y-%m-%dT%H:%M:%S.%g') || 'Z' AS opened_at
FROM wb.agent_opens
WHERE source = 'service' AND found AND given_query_id IN (SELECT a.query_id FROM {queries} AS a)
ORDER BY wb.agent_opens.opened_at, open_id
