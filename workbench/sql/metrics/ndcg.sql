-- In:  lists; $k.
-- Out: nDCG at k a prompt (gain 1 or 0, discount 1 / log2(1 + place); Järvelin and Kekäläinen 2002). The ideal list
--      holds all used memories of the prompt, returned or not. Range: over how many of the unknown are helpful, each
--      time at the best or the worst places that unknown memories hold; outside the first k a place is worth 0.
SELECT
    * EXCLUDE (discounts, ideals, dcg, judged_dcg, best, worst, fewest),
    judged_dcg / ideals[used] AS judged,
    dcg / ideals[used] AS unhelpful,
    list_min(list_transform(
        generate_series(fewest, len(worst)), lambda s: (dcg + coalesce(list_sum(worst[1:s]), 0)) / ideals[used + s]
    )) AS low,
    list_max(list_transform(
        generate_series(fewest, len(best)), lambda s: (dcg + coalesce(list_sum(best[1:s]), 0)) / ideals[used + s]
    )) AS high,
    (used > 0)::INTEGER AS judged_n,
    (used > 0)::INTEGER AS n,
    used = 0 AND len(best) > 0 AS optional
FROM (
    SELECT
        *,
        coalesce(list_sum(list_transform(gains[1:$k], lambda g, i: g * discounts[i])), 0) AS dcg,
        coalesce(list_sum(list_transform(
            list_filter(gains, lambda g: g IS NOT NULL)[1:$k], lambda g, i: g * discounts[i]
        )), 0) AS judged_dcg,
        list_sort(
            list_concat(
                list_transform(
                    list_filter(generate_series(1, len(gains)), lambda i: gains[i] IS NULL),
                    lambda i: CASE WHEN i <= $k THEN discounts[i] ELSE 0 END
                ),
                list_transform(generate_series(1, gone), lambda i: 0e0)
            )
        ) AS worst,
        list_reverse(worst) AS best,
        list_transform(
            generate_series(1, used + len(worst)), lambda n: list_sum(discounts[1:least(n, $k)])
        ) AS ideals,
        CASE WHEN used = 0 THEN 1 ELSE 0 END AS fewest
    FROM (
        SELECT *, list_transform(generate_series(1, $k::BIGINT), lambda i: 1e0 / log2(1 + i)) AS discounts FROM lists
    )
)
