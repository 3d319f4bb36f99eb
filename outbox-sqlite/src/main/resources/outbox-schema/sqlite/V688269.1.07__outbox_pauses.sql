--liquibase formatted sql
--changeset outbox:7-${outbox_table}
-- What is paused for all processes, by whom and why. Without it everything works, and each process can be paused alone.
CREATE TABLE IF NOT EXISTS ${outbox_schema}${outbox_table}_pause (
  kind      TEXT NOT NULL,
  name      TEXT NOT NULL,
  reason    TEXT NOT NULL,
  paused_by TEXT NOT NULL,
  paused_at INTEGER NOT NULL,
  PRIMARY KEY (kind, name)
);

--rollback DROP TABLE IF EXISTS ${outbox_schema}${outbox_table}_pause;
