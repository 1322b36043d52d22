-- In:  memory_views.
-- Out: the active views with valid_from, valid_to (always) and earlier_at (nothing).
SELECT
    *,
    '-infinity'::TIMESTAMPTZ AS valid_from,
    'infinity'::TIMESTAMPTZ AS valid_to,
    NULL::TIMESTAMPTZ AS earlier_at
FROM memory_views
WHERE coalesce(status, 'active') = 'active' AND view_type IN ('gist', 'question')
