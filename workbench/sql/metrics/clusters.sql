-- In:  measured (one row a prompt).
-- Out: one row a kind of session: sums and weights of two readings over the prompts of a session, and how many sessions
--      have exactly these. Sums are rounded, because the order of adding is not the same on every run.
SELECT judged, judged_n, unhelpful, n, count(*)::DOUBLE AS sessions
FROM (
    SELECT
        round(coalesce(sum(judged) FILTER (judged_n > 0), 0)::DOUBLE, 12) AS judged,
        sum(judged_n)::DOUBLE AS judged_n,
        round(coalesce(sum(unhelpful) FILTER (n > 0), 0)::DOUBLE, 12) AS unhelpful,
        sum(n)::DOUBLE AS n
    FROM measured
    GROUP BY session_key
)
GROUP BY ALL
ORDER BY ALL
