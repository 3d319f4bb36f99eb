-- Adds the column seq to a table that was created without it. Rows that are there already are numbered by their time of creation.
-- Apply it while nothing is written.
ALTER TABLE outbox_event ADD COLUMN seq BIGINT;

UPDATE outbox_event event
  JOIN (SELECT event_id, ROW_NUMBER() OVER (ORDER BY created_at, event_id) AS n FROM outbox_event) numbered
    ON event.event_id = numbered.event_id
  SET event.seq = numbered.n;

ALTER TABLE outbox_event MODIFY COLUMN seq BIGINT NOT NULL AUTO_INCREMENT, ADD UNIQUE INDEX idx_outbox_event_seq (seq);
