--liquibase formatted sql
--changeset outbox:1-${outbox_table}
-- Outbox table for H2 2.x. The payload is text, so that it comes back byte for byte as it was written.
CREATE TABLE ${outbox_schema}${outbox_table} (
  event_id       VARCHAR(36) PRIMARY KEY,
  event_type     VARCHAR(128) NOT NULL,
  aggregate_type VARCHAR(64),
  aggregate_id   VARCHAR(128),
  tenant_id      VARCHAR(64),
  payload        VARCHAR(1048576) NOT NULL CHECK (payload IS JSON),
  headers        VARCHAR(1048576) CHECK (headers IS JSON),
  status         TINYINT NOT NULL,
  attempts       INT DEFAULT 0 NOT NULL CHECK (attempts >= 0),
  available_at   TIMESTAMP(6) NOT NULL,
  created_at     TIMESTAMP(6) NOT NULL,
  done_at        TIMESTAMP(6),
  last_error     VARCHAR(4000),
  locked_by      VARCHAR(128),
  locked_at      TIMESTAMP(6)
);

-- Finds pending events in the order in which they are taken.
CREATE INDEX idx_${outbox_table}_pending ON ${outbox_schema}${outbox_table} (status, created_at, event_id);

-- Finds finished events whose retention has passed.
CREATE INDEX idx_${outbox_table}_finished ON ${outbox_schema}${outbox_table} (status, done_at, event_id);

--rollback DROP TABLE ${outbox_schema}${outbox_table};
