-- In:  address_spans.
-- Out: address_spans with state_no: an address has the keywords of now.
SELECT span_no AS state_no, * FROM address_spans
