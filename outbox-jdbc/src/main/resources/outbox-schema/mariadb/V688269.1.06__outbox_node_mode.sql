--liquibase formatted sql
--changeset outbox:6-${outbox_table}
-- How each process delivers, for people and for its neighbours: one that leases nothing must be alone. Without it all works, but only that one notices.
-- Somebody may have dropped the table: nothing depends on it.
CREATE TABLE IF NOT EXISTS ${outbox_schema}${outbox_table}_node (
  owner_id   VARCHAR(128) PRIMARY KEY,
  started_at DATETIME(6) NOT NULL,
  last_seen  DATETIME(6) NOT NULL
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

ALTER TABLE ${outbox_schema}${outbox_table}_node ADD COLUMN IF NOT EXISTS mode VARCHAR(32);

--rollback ALTER TABLE ${outbox_schema}${outbox_table}_node DROP COLUMN mode;
