--liquibase formatted sql
--changeset outbox:6-${outbox_table}
-- How each process delivers, for people and for its neighbours: one that leases nothing must be alone. Without it all works, but only that one notices.
-- Made anew, because SQLite cannot add a column that may be there. Who runs shows itself again within 15 seconds.
DROP TABLE IF EXISTS ${outbox_schema}${outbox_table}_node;

CREATE TABLE ${outbox_schema}${outbox_table}_node (
  owner_id   TEXT PRIMARY KEY,
  started_at INTEGER NOT NULL,
  last_seen  INTEGER NOT NULL,
  mode       TEXT
);

--rollback ALTER TABLE ${outbox_schema}${outbox_table}_node DROP COLUMN mode;
