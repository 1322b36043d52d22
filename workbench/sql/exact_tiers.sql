-- In:  nothing.
-- Out: the scores of an exact match, best first, and what each stands for (recall semantics, section 4).
SELECT score, words
FROM (VALUES
    (1e0, 'the prompt is the address or path'),
    (0.98e0, 'the prompt is a keyword'),
    (0.9e0, 'the keywords contain the prompt'),
    (0.84e0, 'the prompt contains a keyword'),
    (0.78e0, 'tokenised match in keywords, address or path'),
    (0.72e0, 'the address or path contains the prompt')
) AS tiers(score, words)
