-- Optional: finds events by their number, for whoever reads the table in pieces. Costs each write.
CREATE UNIQUE INDEX IF NOT EXISTS idx_outbox_event_seq ON outbox_event (seq);
