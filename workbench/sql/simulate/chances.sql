-- In:  display (display.sql under what a rule follows, over the candidates of its prompts), sim_prompts; $top, $width and
--      $threshold of the rule, $break_even: the chance of help at its threshold, $seed, $places.
-- Out: one row a (query_id, uri): chance, the probability that it helps. It rises with the score, for the best
--      $places candidates of a prompt; others help a tenth as often, start-up memories never. Sessions differ by a factor.
SELECT
    d.query_id,
    d.uri,
    CASE WHEN d.is_boot THEN 0
        ELSE CASE WHEN d.ranked_position <= $places::INTEGER THEN 1 ELSE 0.1e0 END
            * $top::DOUBLE / (1 + exp(
                ($threshold::DOUBLE - d.score) / $width::DOUBLE + ln($top::DOUBLE / $break_even::DOUBLE - 1)
            ))
            * (0.4e0 + 1.2e0 * hash(p.session_id, $seed::BIGINT) / 18446744073709551616e0)
    END AS chance
FROM display AS d
JOIN sim_prompts AS p ON p.query_id = d.query_id
