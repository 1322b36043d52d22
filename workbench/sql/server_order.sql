-- In:  x, a text.
-- Out: the macro server_order(x): a key that sorts texts as PostgreSQL does under en_US.UTF-8. Punctuation, symbols and
--      emoji do not count at first; where nothing else decides, they count from left to right, before letters and digits
--      and behind Chinese characters.
CREATE OR REPLACE TEMP MACRO server_order(x) AS {
    'letters': icu_sort_key(x, 'en_US-u-ka-shifted-kv-symbol'),
    'marks': regexp_replace(
        regexp_replace(x, '[\x{2E80}-\x{9FFF}\x{F900}-\x{FAFF}]', chr(1), 'g'),
        '[\p{L}\p{N}\p{M}\p{Sc}]', chr(1114109), 'g'
    ),
    'text': x
}
