-- In:  linked_prompts, miss_evidence (temporary tables).
-- Out: one row: logged queries linked by their id and by time, pairs by grade, pairs that were shown all the same.
SELECT
    (SELECT count(DISTINCT query_id) FROM linked_prompts WHERE linked_by = 'query_id') AS linked_by_query_id,
    (SELECT count(DISTINCT query_id) FROM linked_prompts WHERE linked_by = 'time') AS linked_by_time,
    (SELECT count(*) FROM miss_evidence WHERE grade = 'opened_after_search') AS opened_after_search,
    (SELECT count(*) FROM miss_evidence WHERE grade = 'opened_unlinked') AS opened_unlinked,
    (SELECT count(*) FROM miss_evidence WHERE was_shown) AS of_these_shown
