-- In:  lists.
-- Out: memories shown, a prompt. Every prompt counts.
SELECT *, shown AS judged, shown AS unhelpful, shown AS low, shown AS high, 1 AS judged_n, 1 AS n, false AS optional
FROM lists
