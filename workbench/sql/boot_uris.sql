-- In:  nothing.
-- Out: uri: the fixed start-up memories that recall never shows (nine exact addresses, aliases not covered).
SELECT unnest([
    'core://agent', 'core://soul', 'preferences://user',
    'core://agent/claudecode', 'core://agent/openclaw', 'core://agent/hermes',
    'core://agent/codex', 'core://agent/pi', 'core://agent/opencode'
]) AS uri
