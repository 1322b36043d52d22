-- In:  labelled (labelled.sql over one side of the split).
-- Out: a text that differs when any candidate, signal or label does.
SELECT coalesce(bit_xor(hash(labelled)), 0)::VARCHAR || ' ' || count(*)
FROM labelled
