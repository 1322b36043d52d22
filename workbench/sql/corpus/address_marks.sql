-- In:  spans (spans.sql over addresses), address_says, recorded.
-- Out: the spans, once for each moment that matters to them: their beginning, the first memory event of all, and what events
--      tell of priority and disclosure (said from then on, before until then). doubt: another address of the node was
--      edited, and nothing tells whether the two shared an edge then.
SELECT
    *, valid_from AS moment, NULL AS number, NULL AS said, NULL AS before, NULL AS doubt
FROM spans
UNION ALL
SELECT s.*, r.recorded_since, NULL, NULL, NULL, NULL
FROM spans AS s, recorded AS r
WHERE s.valid_from < r.recorded_since AND (s.valid_to IS NULL OR r.recorded_since < s.valid_to)
UNION ALL
SELECT
    * EXCLUDE (tells, apart, ended, said, before, doubt),
    CASE WHEN tells AND NOT ended THEN said END,
    CASE WHEN tells THEN before END,
    NOT tells
FROM (
    SELECT
        s.*,
        a.moment,
        a.number,
        a.said,
        a.before,
        NULL AS doubt,
        a.own OR (a.shared AND s.valid_to IS NULL) AS tells,
        a.apart,
        coalesce(a.moment >= s.valid_to, false) AS ended
    FROM spans AS s
    JOIN address_says AS a ON a.uri = s.key AND a.moment >= s.valid_from AND (s.valid_to IS NULL OR a.moment <= s.valid_to)
)
WHERE tells OR NOT apart
