-- What ordered delivery needs in addition to sqlite.sql: finds the unfinished events of an aggregate in their order.
CREATE INDEX IF NOT EXISTS idx_outbox_event_key ON outbox_event (aggregate_type, aggregate_id, status, seq);
