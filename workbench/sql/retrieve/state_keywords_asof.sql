-- In:  address_states, keyword_versions.
-- Out: state_no, keyword: the keywords that the node had in that state.
SELECT s.state_no, k.keyword
FROM address_states AS s
JOIN keyword_versions AS k ON k.node_uuid = s.node_uuid
    AND k.valid_from <= s.valid_from AND s.valid_from < coalesce(k.valid_to, 'infinity')
