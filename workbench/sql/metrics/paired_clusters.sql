-- In:  measured (one row a prompt) of one configuration, measured_b of another over the same prompts.
-- Out: one row a kind of session: sums and weights of two readings for either configuration, and how many sessions have
--      exactly these. Sums are rounded, because the order of adding is not the same on every run.
SELECT
    judged_a, judged_n_a, unhelpful_a, n_a, judged_b, judged_n_b, unhelpful_b, n_b, count(*)::DOUBLE AS sessions
FROM (
    SELECT
        round(coalesce(sum(a.judged) FILTER (a.judged_n > 0), 0)::DOUBLE, 12) AS judged_a,
        sum(a.judged_n)::DOUBLE AS judged_n_a,
        round(coalesce(sum(a.unhelpful) FILTER (a.n > 0), 0)::DOUBLE, 12) AS unhelpful_a,
        sum(a.n)::DOUBLE AS n_a,
        round(coalesce(sum(b.judged) FILTER (b.judged_n > 0), 0)::DOUBLE, 12) AS judged_b,
        sum(b.judged_n)::DOUBLE AS judged_n_b,
        round(coalesce(sum(b.unhelpful) FILTER (b.n > 0), 0)::DOUBLE, 12) AS unhelpful_b,
        sum(b.n)::DOUBLE AS n_b
    FROM measured AS a
    JOIN measured_b AS b ON b.query_id = a.query_id
    GROUP BY a.session_key
)
GROUP BY ALL
ORDER BY ALL
