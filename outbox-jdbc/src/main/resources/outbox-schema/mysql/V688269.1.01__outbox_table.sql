--liquibase formatted sql
--changeset outbox:1-${outbox_table}
-- Outbox table for MySQL 8.0 and TiDB. The payload is text, because MySQL's JSON type reorders keys and changes white space and numbers.
CREATE TABLE ${outbox_schema}${outbox_table} (
  event_id       VARCHAR(36) NOT NULL PRIMARY KEY,
  event_type     VARCHAR(128) NOT NULL,
  aggregate_type VARCHAR(64),
  aggregate_id   VARCHAR(128),
  tenant_id      VARCHAR(64),
  payload        LONGTEXT NOT NULL,
  headers        LONGTEXT,
  status         TINYINT NOT NULL,
  attempts       INT NOT NULL DEFAULT 0,
  available_at   DATETIME(6) NOT NULL,
  created_at     DATETIME(6) NOT NULL,
  done_at        DATETIME(6),
  last_error     TEXT,
  locked_by      VARCHAR(128),
  locked_at      DATETIME(6),
  -- Finds pending events in the order in which they are taken.
  INDEX idx_${outbox_table}_pending (status, created_at, event_id),
  -- Finds finished events whose retention has passed.
  INDEX idx_${outbox_table}_finished (status, done_at),
  -- Named, because the names that MySQL makes up are too long for a table with a long name.
  CONSTRAINT chk_${outbox_table}_payload CHECK (JSON_VALID(payload)),
  CONSTRAINT chk_${outbox_table}_headers CHECK (JSON_VALID(headers)),
  CONSTRAINT chk_${outbox_table}_attempts CHECK (attempts >= 0)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

--rollback DROP TABLE ${outbox_schema}${outbox_table};
