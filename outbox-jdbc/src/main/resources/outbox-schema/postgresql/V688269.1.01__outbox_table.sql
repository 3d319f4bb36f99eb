--liquibase formatted sql
--changeset outbox:1-${outbox_table}
-- Outbox table for PostgreSQL 13 or newer. JSON, unlike JSONB, keeps the payload byte for byte as it was written.
-- Pages are filled by half: a second version of each row fits into its page, so a claim touches no index.
CREATE TABLE ${outbox_schema}${outbox_table} (
  event_id       VARCHAR(36) PRIMARY KEY,
  event_type     VARCHAR(128) NOT NULL,
  aggregate_type VARCHAR(64),
  aggregate_id   VARCHAR(128),
  tenant_id      VARCHAR(64),
  payload        JSON NOT NULL,
  headers        JSON,
  status         SMALLINT NOT NULL,
  attempts       INT NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  available_at   TIMESTAMPTZ(6) NOT NULL,
  created_at     TIMESTAMPTZ(6) NOT NULL,
  done_at        TIMESTAMPTZ(6),
  last_error     TEXT,
  locked_by      VARCHAR(128),
  locked_at      TIMESTAMPTZ(6)
) WITH (fillfactor = 50);

-- Holds pending events only, in the order in which they are taken: finished events cost a poll nothing.
CREATE INDEX idx_${outbox_table}_pending ON ${outbox_schema}${outbox_table} (created_at, event_id) WHERE status IN (0, 2);

-- Finds finished events whose retention has passed.
CREATE INDEX idx_${outbox_table}_finished ON ${outbox_schema}${outbox_table} (status, done_at) WHERE status IN (1, 3);

--rollback DROP TABLE ${outbox_schema}${outbox_table};
