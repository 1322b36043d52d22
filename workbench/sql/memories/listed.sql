-- In:  memory_states; $domain and $text (NULL: any).
-- Out: the memories there are: uri, priority, disclosure, keywords, characters and created_at, by address.
SELECT
    uri,
    priority,
    disclosure,
    keywords,
    length(content) AS characters,
    created_at
FROM memory_states
WHERE memory_id IS NOT NULL
    AND ($domain::VARCHAR IS NULL OR domain = $domain)
    AND (
        $text::VARCHAR IS NULL
        OR contains(lower(concat_ws(chr(10), uri, content, disclosure, array_to_string(keywords, chr(10)))), lower($text))
    )
ORDER BY domain, path
