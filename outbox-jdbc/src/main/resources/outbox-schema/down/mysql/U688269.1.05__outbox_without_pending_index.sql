-- WARNING: whoever writes meanwhile waits until the index is there; no event is lost. Before you apply it: stop what
-- must not wait for so long.
ALTER TABLE ${outbox_schema}${outbox_table} ADD INDEX idx_${outbox_table}_pending (status, created_at, event_id);
