-- In:  candidates (one row a (query_id, uri): unweighted signals by view type, gist_weight and question_weight as
--      stored on the view rows, priority, age_days, query_tokens); the settings as bound values.
--      $gist_weight and $question_weight NULL: the weights stored on the rows.
-- Out: candidates plus the merged signals, lexical_damp, one c_* column for each term and their rounded sum, score.
--      This is the only place where a score is computed (recall semantics, section 6).
SELECT
    *,
    round(
        c_exact + c_glossary_semantic + c_dense + c_lexical + c_view + c_priority + c_multi_view + c_recency, 6
    ) AS score
FROM (
    SELECT
        *,
        coalesce(exact, 0) * $w_exact::DOUBLE AS c_exact,
        coalesce(glossary_semantic, 0) * $w_glossary_semantic::DOUBLE AS c_glossary_semantic,
        dense * $w_dense::DOUBLE AS c_dense,
        lexical * $w_lexical::DOUBLE * lexical_damp AS c_lexical,
        greatest(
            CASE WHEN has_gist THEN $gist_prior::DOUBLE ELSE 0 END,
            CASE WHEN has_question THEN $question_prior::DOUBLE ELSE 0 END
        ) AS c_view,
        greatest(0, $priority_base::DOUBLE - priority * $priority_step::DOUBLE) AS c_priority,
        CASE WHEN has_gist AND has_question
            THEN least($multi_view_cap::DOUBLE, $multi_view_step::DOUBLE) ELSE 0e0
        END AS c_multi_view,
        CASE
            WHEN NOT $recency_enabled::BOOLEAN OR age_days IS NULL THEN 0
            WHEN priority <= $priority_exempt::INTEGER THEN $max_bonus::DOUBLE
            ELSE $max_bonus::DOUBLE * pow(2e0, -age_days / $half_life_days::DOUBLE)
        END AS c_recency
    FROM (
        SELECT
            *,
            greatest(
                0e0,
                dense_gist * coalesce($gist_weight::DOUBLE, gist_weight),
                dense_question * coalesce($question_weight::DOUBLE, question_weight)
            ) AS dense,
            greatest(
                0e0,
                lexical_gist * coalesce($gist_weight::DOUBLE, gist_weight),
                lexical_question * coalesce($question_weight::DOUBLE, question_weight)
            ) AS lexical,
            1e0 / log2(2e0 + greatest(1, query_tokens)) AS lexical_damp,
            dense_gist IS NOT NULL OR lexical_gist IS NOT NULL AS has_gist,
            dense_question IS NOT NULL OR lexical_question IS NOT NULL AS has_question
        FROM candidates
    )
)
