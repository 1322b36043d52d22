-- In:  lists; $p, how much a place weighs against the one before it, 0 < p < 1.
-- Out: rank-biased overlap of the shown and the logged list, extrapolated for lists of unequal length (Webber, Moffat and
--      Zobel 2010, equation 32), a prompt. 0 where one list is empty; prompts for which both are do not count.
SELECT
    * EXCLUDE (short, long, shared),
    CASE WHEN short = 0 THEN 0e0 ELSE
        (1 - $p::DOUBLE) / $p::DOUBLE * (
            list_sum(list_transform(shared, lambda x, d: x / d * pow($p::DOUBLE, d)))
            + coalesce(list_sum(list_transform(
                generate_series(short + 1, long),
                lambda d: shared[short] * (d - short) / (short * d) * pow($p::DOUBLE, d)
            )), 0)
        )
        + ((shared[long] - shared[short]) / long + shared[short] / short) * pow($p::DOUBLE, long)
    END AS judged,
    judged AS unhelpful,
    judged AS low,
    judged AS high,
    (long > 0)::INTEGER AS judged_n,
    (long > 0)::INTEGER AS n,
    false AS optional
FROM (
    SELECT
        *,
        least(shown, logged) AS short,
        greatest(shown, logged) AS long,
        list_transform(
            generate_series(1, long), lambda d: len(list_filter(common, lambda c: c <= d))::DOUBLE
        ) AS shared
    FROM lists
)
