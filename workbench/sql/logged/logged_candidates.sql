-- In:  score (score.sql over logged/candidates.sql with recency switched off); the configuration in force as bound
--      values.
-- Out: the rows of wb.logged_candidates: the age is that of the store's time stamps where it explains the logged
--      recency term; else it is inverted from the term, and within the term's rounding chosen so that the sum gives
--      the logged score; age_source says which.
SELECT
    query_id, uri, node_uuid, exact, glossary_semantic, dense_gist, dense_question, lexical_gist, lexical_question,
    gist_weight, question_weight, priority, priority_source, query_tokens, uri_order, is_boot, logged_exact,
    logged_glossary_semantic, logged_dense, logged_lexical, logged_view, logged_priority, logged_multi_view,
    logged_recency, logged_score, logged_shown, logged_position, logged_displayed_position, used, mark_source,
    CASE
        WHEN source = 'logged_term' THEN greatest(0, -$half_life_days::DOUBLE * log2(term / $max_bonus::DOUBLE))
        WHEN source = 'timestamps' THEN known_age
        WHEN source = 'memory' THEN memory_age
        WHEN source = 'assumed_new' THEN 0
    END AS age_days,
    source AS age_source
FROM (
    SELECT
        *,
        CASE WHEN low <= high THEN (low + high) / 2 ELSE logged_recency END AS term,
        CASE
            WHEN logged_recency > 0 AND priority > $priority_exempt::INTEGER AND NOT coalesce(age_agrees, false)
                THEN 'logged_term'
            WHEN known_age IS NOT NULL THEN 'timestamps'
            WHEN logged_recency <= 0 THEN 'none'
            WHEN memory_age IS NOT NULL THEN 'memory'
            ELSE 'assumed_new'
        END AS source
    FROM (
        SELECT
            *,
            greatest(logged_recency - 5e-7, round(logged_score, 6) - 5e-7 - unaged_sum) AS low,
            least(logged_recency + 5e-7, round(logged_score, 6) + 5e-7 - unaged_sum) AS high,
            $max_bonus::DOUBLE * pow(2e0, -known_age / $half_life_days::DOUBLE) BETWEEN low AND high AS age_agrees
        FROM (
            SELECT
                *,
                c_exact + c_glossary_semantic + c_dense + c_lexical + c_view + c_priority + c_multi_view AS unaged_sum
            FROM score
        )
    )
)
