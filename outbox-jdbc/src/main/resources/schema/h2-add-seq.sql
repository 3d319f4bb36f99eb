-- Adds the column seq to a table that was created without it. Rows that are there already are numbered by their time of creation.
-- Apply it while nothing is written.
ALTER TABLE outbox_event ADD COLUMN seq BIGINT;

MERGE INTO outbox_event event
  USING (SELECT event_id, ROW_NUMBER() OVER (ORDER BY created_at, event_id) AS n FROM outbox_event) numbered
  ON event.event_id = numbered.event_id
  WHEN MATCHED THEN UPDATE SET event.seq = numbered.n;

-- Numbers that the old rows do not have: a script cannot ask which is the last of theirs.
ALTER TABLE outbox_event ALTER COLUMN seq BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 1000000000000);
