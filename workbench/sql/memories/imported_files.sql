-- In:  memory_events.
-- Out: uri and digest of the file that a memory was last taken from.
SELECT node_uri AS uri, arg_max(details ->> '$.file_sha256', (created_at, id)) AS digest
FROM memory_events
WHERE json_valid(details) AND details ->> '$.file_sha256' IS NOT NULL
GROUP BY node_uri
