-- In:  target (one candidate), memory_parts (what the store holds of it; the bound value $model may be NULL).
-- Out: that candidate once for each change of the memory that is tried, with change and value, numbered by variant: a
--      keyword, priority, age, vectors or views. A change that builds index rows makes the memory count as just edited.
SELECT row_number() OVER (ORDER BY change, value) AS variant, *
FROM (
    SELECT 'keyword_in_prompt' AS change, NULL::DOUBLE AS value,
        t.* REPLACE (greatest(coalesce(exact, 0), 0.84e0) AS exact)
    FROM target AS t
    UNION ALL
    SELECT 'keyword_is_prompt', NULL, t.* REPLACE (greatest(coalesce(exact, 0), 0.98e0) AS exact)
    FROM target AS t
    UNION ALL
    SELECT 'keyword_is_prompt_embedded', NULL,
        t.* REPLACE (greatest(coalesce(exact, 0), 0.98e0) AS exact, 1e0 AS glossary_semantic, 0e0 AS age_days)
    FROM target AS t
    WHERE $model::VARCHAR IS NOT NULL
    UNION ALL
    SELECT 'keywords_removed', NULL,
        t.* REPLACE (CASE WHEN exact IN (1.00, 0.72) THEN exact END AS exact, NULL AS glossary_semantic)
    FROM target AS t
    UNION ALL
    SELECT 'priority', p.priority, t.* REPLACE (p.priority::INTEGER AS priority)
    FROM target AS t
    JOIN (SELECT unnest(range(21)) AS priority) AS p ON p.priority <> t.priority
    UNION ALL
    SELECT 'edited_now', NULL, t.* REPLACE (0e0 AS age_days)
    FROM target AS t
    UNION ALL
    SELECT 'never_edited', NULL, t.* REPLACE (36525e0 AS age_days)
    FROM target AS t
    UNION ALL
    SELECT 'vectors', s.similarity,
        t.* REPLACE (
            CASE WHEN p.has_gist AND NOT p.comparable_gist THEN s.similarity ELSE dense_gist END AS dense_gist,
            CASE WHEN p.has_question AND NOT p.comparable_question THEN s.similarity ELSE dense_question END
                AS dense_question,
            0e0 AS age_days
        )
    FROM target AS t
    CROSS JOIN memory_parts AS p
    CROSS JOIN (SELECT unnest(range(1, 101)) / 100e0 AS similarity) AS s
    WHERE $model::VARCHAR IS NOT NULL
        AND (p.has_gist AND NOT p.comparable_gist OR p.has_question AND NOT p.comparable_question)
    UNION ALL
    SELECT 'views', s.similarity,
        t.* REPLACE (s.similarity AS dense_gist, s.similarity AS dense_question, 0e0 AS age_days)
    FROM target AS t
    CROSS JOIN memory_parts AS p
    CROSS JOIN (SELECT unnest(range(1, 101)) / 100e0 AS similarity) AS s
    WHERE $model::VARCHAR IS NOT NULL AND NOT p.has_gist AND NOT p.has_question
)
WHERE change NOT IN ('priority', 'edited_now', 'never_edited', 'keywords_removed') OR EXISTS (
    SELECT 1 FROM target
    WHERE coalesce(exact, glossary_semantic, dense_gist, dense_question, lexical_gist, lexical_question) IS NOT NULL
)
