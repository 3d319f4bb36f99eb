--liquibase formatted sql
--changeset outbox:7-${outbox_table}
-- What is paused for all processes, by whom and why. Without it everything works, and each process can be paused alone.
CREATE TABLE IF NOT EXISTS ${outbox_schema}${outbox_table}_pause (
  kind      VARCHAR(16) NOT NULL,
  name      VARCHAR(255) NOT NULL,
  reason    VARCHAR(1000) NOT NULL,
  paused_by VARCHAR(128) NOT NULL,
  paused_at TIMESTAMP(6) NOT NULL,
  PRIMARY KEY (kind, name)
);

--rollback DROP TABLE IF EXISTS ${outbox_schema}${outbox_table}_pause;
