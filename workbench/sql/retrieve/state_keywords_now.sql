-- In:  address_states, glossary_keywords.
-- Out: state_no, keyword.
SELECT s.state_no, k.keyword
FROM address_states AS s
JOIN glossary_keywords AS k ON k.node_uuid = s.node_uuid
