-- Stores made before the durations of recalls were kept get their columns.

ALTER TABLE recall_queries ADD COLUMN IF NOT EXISTS duration_ms INTEGER;
ALTER TABLE wb.logged_queries ADD COLUMN IF NOT EXISTS duration_ms INTEGER;
