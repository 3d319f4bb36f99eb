-- Outbox table for PostgreSQL 13 or newer. JSON, unlike JSONB, keeps the payload byte for byte as it was written.
-- Pages are filled by half: a second version of each row fits into its page, so a claim touches no index.
CREATE TABLE IF NOT EXISTS outbox_event (
  event_id       VARCHAR(36) PRIMARY KEY,
  event_type     VARCHAR(128) NOT NULL,
  aggregate_type VARCHAR(64),
  aggregate_id   VARCHAR(128),
  tenant_id      VARCHAR(64),
  payload        JSON NOT NULL,
  headers        JSON,
  status         SMALLINT NOT NULL,
  attempts       INT NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  -- The database's time in UTC, for whoever writes events without this library.
  available_at   TIMESTAMPTZ(6) NOT NULL DEFAULT now(),
  created_at     TIMESTAMPTZ(6) NOT NULL DEFAULT now(),
  done_at        TIMESTAMPTZ(6),
  last_error     TEXT,
  locked_by      VARCHAR(128),
  locked_at      TIMESTAMPTZ(6),
  -- The order of the inserts. Delivery in order reads it (postgresql-ordered.sql), and it is a cursor for whoever reads the table in pieces.
  seq            BIGINT GENERATED ALWAYS AS IDENTITY,
  -- Payloads that are not text. Without these columns everything else works.
  payload_bytes  BYTEA,
  content_type   VARCHAR(255)
) WITH (fillfactor = 50);

-- Holds pending events only, in the order in which they are taken: finished events cost a poll nothing.
CREATE INDEX IF NOT EXISTS idx_outbox_event_due ON outbox_event (available_at, event_id) WHERE status IN (0, 2);

-- Finds finished events whose retention has passed.
CREATE INDEX IF NOT EXISTS idx_outbox_event_finished ON outbox_event (status, done_at) WHERE status IN (1, 3);

-- The processes that share the table and how they deliver. Without it everything works, but nobody is seen.
CREATE TABLE IF NOT EXISTS outbox_event_node (
  owner_id   VARCHAR(128) PRIMARY KEY,
  started_at TIMESTAMPTZ(6) NOT NULL,
  last_seen  TIMESTAMPTZ(6) NOT NULL,
  mode       VARCHAR(32)
);

-- What is paused for all processes, by whom and why. Without it everything works, and each process can be paused alone.
CREATE TABLE IF NOT EXISTS outbox_event_pause (
  kind      VARCHAR(16) NOT NULL,
  name      VARCHAR(255) NOT NULL,
  reason    VARCHAR(1000) NOT NULL,
  paused_by VARCHAR(128) NOT NULL,
  paused_at TIMESTAMPTZ(6) NOT NULL,
  PRIMARY KEY (kind, name)
);
