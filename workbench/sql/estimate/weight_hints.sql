-- In:  score (score.sql over logged candidates under the settings in force), wb.logged_queries, wb.recall_arms;
--      $rounding, by how much a logged term or signal may be off.
-- Out: one row a (query, key): the values of the key, low to high, under which the logged terms or the shown list of the
--      query come about; queries in order of time, numbered from 0. Sessions that two configurations were shared out to
--      are left out. A view bonus is read where one view type alone was returned, the bonus by priority at priority 0.
--      The threshold lies at or below the lowest shown score, and above the best hidden one where less than two are
--      shown, which no other limit would hide.
SELECT q.number, q.query_id, q.now, h.key, max(h.low) AS low, min(h.high) AS high
FROM (
    SELECT query_id, now, (row_number() OVER (ORDER BY now NULLS FIRST, query_id) - 1)::BIGINT AS number
    FROM wb.logged_queries
    WHERE query_id IN (SELECT s.query_id FROM score AS s)
        AND query_id NOT IN (SELECT a.query_id FROM wb.recall_arms AS a)
) AS q
JOIN (
    SELECT
        query_id,
        key,
        (term - $rounding::DOUBLE) / (signal + $rounding::DOUBLE) AS low,
        (term + $rounding::DOUBLE) / (signal - $rounding::DOUBLE) AS high
    FROM (
        UNPIVOT (
            SELECT
                query_id,
                {s: exact, t: logged_exact} AS "recall.weights.w_exact",
                {s: glossary_semantic, t: logged_glossary_semantic} AS "recall.weights.w_glossary_semantic",
                {s: dense, t: logged_dense} AS "recall.weights.w_dense",
                {s: lexical * lexical_damp, t: logged_lexical} AS "recall.weights.w_lexical",
                CASE WHEN has_gist AND NOT has_question THEN {s: 1e0, t: logged_view} END AS "views.prior.gist",
                CASE WHEN has_question AND NOT has_gist THEN {s: 1e0, t: logged_view} END AS "views.prior.question",
                CASE WHEN has_question AND has_gist THEN {s: 1e0, t: logged_multi_view} END
                    AS "recall.bonus.multi_view_step",
                CASE WHEN priority = 0 AND priority_source = 'store' THEN {s: 1e0, t: logged_priority} END
                    AS "recall.bonus.priority_base"
            FROM score
        )
        ON COLUMNS(* EXCLUDE query_id)
        INTO NAME key VALUE pair
    )
    CROSS JOIN LATERAL (SELECT pair.s AS signal, pair.t AS term)
    WHERE signal > 0.02 AND term IS NOT NULL
    UNION ALL
    SELECT
        query_id,
        'recall.display.min_display_score' AS key,
        CASE WHEN count(*) FILTER (logged_shown) < 2
            THEN coalesce(max(logged_score) FILTER (NOT logged_shown AND NOT is_boot), 0) ELSE 0
        END AS low,
        coalesce(min(logged_score) FILTER (logged_shown), 1) + $rounding::DOUBLE AS high
    FROM score
    GROUP BY query_id
) AS h ON h.query_id = q.query_id
GROUP BY ALL
ORDER BY q.number, h.key
