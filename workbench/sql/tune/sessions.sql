-- In:  judged_prompts (query_id, now, session_key), recall_queries; $share, the part of the prompts that trains.
-- Out: one row a query: side is train, holdout, or repeat (a prompt of the hold-out whose text also stands in the
--      training part). Whole sessions stand on one side: the side of their first prompt.
SELECT
    query_id,
    session_key,
    CASE
        WHEN first_place <= $share::DOUBLE * total THEN 'train'
        WHEN text IN (SELECT t.text FROM timed AS t WHERE t.first_place <= $share::DOUBLE * t.total) THEN 'repeat'
        ELSE 'holdout'
    END AS side
FROM timed
