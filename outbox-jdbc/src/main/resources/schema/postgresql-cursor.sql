-- Optional: finds events by their number, for whoever reads the table in pieces. Costs each write.
-- Nobody can write while it is built: for a large table create it CONCURRENTLY instead, under this name. Not unique, because in partitions an
-- index without the column that divides them cannot be.
CREATE INDEX IF NOT EXISTS idx_outbox_event_seq ON outbox_event (seq);
