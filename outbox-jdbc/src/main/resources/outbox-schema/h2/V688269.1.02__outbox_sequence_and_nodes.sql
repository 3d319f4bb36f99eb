--liquibase formatted sql
--changeset outbox:2-${outbox_table}
-- Adds the column seq to a table that was created without it. Rows that are there already are numbered by their time of creation.
-- Apply it while nothing is written.
ALTER TABLE ${outbox_schema}${outbox_table} ADD COLUMN seq BIGINT;

MERGE INTO ${outbox_schema}${outbox_table} event
  USING (SELECT event_id, ROW_NUMBER() OVER (ORDER BY created_at, event_id) AS n FROM ${outbox_schema}${outbox_table}) numbered
  ON event.event_id = numbered.event_id
  WHEN MATCHED THEN UPDATE SET event.seq = numbered.n;

-- Numbers that the old rows do not have: a script cannot ask which is the last of theirs.
ALTER TABLE ${outbox_schema}${outbox_table} ALTER COLUMN seq BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 1000000000000);

-- The processes that share the table. Only for people to look at: without it everything works, and nobody is seen.
CREATE TABLE IF NOT EXISTS ${outbox_schema}${outbox_table}_node (
  owner_id   VARCHAR(128) PRIMARY KEY,
  started_at TIMESTAMP(6) NOT NULL,
  last_seen  TIMESTAMP(6) NOT NULL
);

--rollback ALTER TABLE ${outbox_schema}${outbox_table} DROP COLUMN seq;
--rollback DROP TABLE IF EXISTS ${outbox_schema}${outbox_table}_node;
