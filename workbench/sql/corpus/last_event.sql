-- In:  keyword_events.
-- Out: key, moment, starts: the last event of each keyword.
SELECT key, max(moment) AS moment, arg_max(starts, (moment, number, starts)) AS starts
FROM keyword_events
GROUP BY key
