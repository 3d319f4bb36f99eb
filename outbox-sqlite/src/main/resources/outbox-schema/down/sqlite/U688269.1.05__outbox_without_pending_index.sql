-- WARNING: whoever writes meanwhile waits until the index is there; no event is lost. Before you apply it: stop what
-- must not wait for so long.
CREATE INDEX ${outbox_schema}idx_${outbox_table}_pending ON ${outbox_table} (created_at, event_id) WHERE status IN (0, 2);
