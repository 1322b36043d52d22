-- In:  the table {queries} (query_id), wb.usage_reports.
-- Out: the reports of use of those queries, oldest first.
SELECT
    query_id,
    uris,
    reported_by,
    session_id,
    client_type,
    preview,
    strftime(reported_at, '%Y-%m-%dT%H:%M:%S.%g') || 'Z' AS reported_at
FROM wb.usage_reports
WHERE query_id IN (SELECT a.query_id FROM {queries} AS a)
ORDER BY wb.usage_reports.reported_at, report_id
