-- In:  flips (compare/flips.sql), hand_labels, log (judge.sql).
-- Out: one row a (query, node) that exactly one of two configurations shows: side (new: only the proposal, gone: only the
--      current one), helpful (true or false as used or answered, NULL where it is open) and whether it was answered by
--      hand, also with unsure, without a linked open. A memory that was shown and not opened is open: nobody said that
--      it did not help.
SELECT
    f.query_id,
    f.node,
    f.uri,
    CASE WHEN f.first_place IS NULL THEN 'new' ELSE 'gone' END AS side,
    CASE
        WHEN f.label IN ('used', 'helpful') THEN true
        WHEN f.label = 'unhelpful' OR h.grade = 'no' THEN false
    END AS helpful,
    h.grade IS NOT NULL AND l.mark IS DISTINCT FROM 'linked' AS answered
FROM flips AS f
LEFT JOIN log AS l ON l.query_id = f.query_id AND l.node = f.node
LEFT JOIN hand_labels AS h ON h.query_id = f.query_id AND h.node = f.node AND NOT h.expired
