--liquibase formatted sql
--changeset outbox:2-${outbox_table}
-- Adds the column seq to a table that was created without it. Rows that are there already are numbered by their time of creation.
-- Locks the table until the transaction ends: run it in one, as migration tools do, and whoever writes meanwhile waits.
ALTER TABLE ${outbox_schema}${outbox_table} ADD COLUMN seq BIGINT;

UPDATE ${outbox_schema}${outbox_table} event SET seq = numbered.n
  FROM (SELECT event_id, row_number() OVER (ORDER BY created_at, event_id) AS n FROM ${outbox_schema}${outbox_table}) numbered
  WHERE event.event_id = numbered.event_id;

ALTER TABLE ${outbox_schema}${outbox_table} ALTER COLUMN seq SET NOT NULL;

ALTER TABLE ${outbox_schema}${outbox_table} ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY;

SELECT setval(pg_get_serial_sequence('${outbox_schema}${outbox_table}', 'seq'), (SELECT COALESCE(MAX(seq), 0) + 1 FROM ${outbox_schema}${outbox_table}), false);

-- The processes that share the table. Only for people to look at: without it everything works, and nobody is seen.
CREATE TABLE IF NOT EXISTS ${outbox_schema}${outbox_table}_node (
  owner_id   VARCHAR(128) PRIMARY KEY,
  started_at TIMESTAMPTZ(6) NOT NULL,
  last_seen  TIMESTAMPTZ(6) NOT NULL
);

--rollback ALTER TABLE ${outbox_schema}${outbox_table} DROP COLUMN seq;
--rollback DROP TABLE IF EXISTS ${outbox_schema}${outbox_table}_node;
