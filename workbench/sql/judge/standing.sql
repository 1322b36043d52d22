-- In:  hand_labels; $query_id, $uri, $node.
-- Out: uri and node_uuid (NULL where only the address is known) of the answer that stands for a prompt and a memory, found
--      by the memory, else by the address it was given for.
SELECT uri, CASE WHEN node <> uri THEN node END AS node_uuid
FROM hand_labels
WHERE query_id = $query_id AND (node = $node OR uri = $uri)
ORDER BY node IS NOT DISTINCT FROM $node DESC, node
LIMIT 1
