-- Adds the column seq to a table that was created without it. Rows that are there already are numbered by their time of creation.
-- Locks the table until the transaction ends; apply it while nothing is written.
ALTER TABLE outbox_event ADD COLUMN seq BIGINT;

UPDATE outbox_event event SET seq = numbered.n
  FROM (SELECT event_id, row_number() OVER (ORDER BY created_at, event_id) AS n FROM outbox_event) numbered
  WHERE event.event_id = numbered.event_id;

ALTER TABLE outbox_event ALTER COLUMN seq SET NOT NULL;

ALTER TABLE outbox_event ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY;

SELECT setval(pg_get_serial_sequence('outbox_event', 'seq'), (SELECT COALESCE(MAX(seq), 0) + 1 FROM outbox_event), false);
