-- In:  memory_history.
-- Out: recorded_since: the time of the first memory event; before it, edits left no trace. NULL without any event.
SELECT min(moment) AS recorded_since FROM memory_history
