-- Outbox table for H2 2.x. The payload is text, so that it comes back byte for byte as it was written.
CREATE TABLE IF NOT EXISTS outbox_event (
  event_id       VARCHAR(36) PRIMARY KEY,
  event_type     VARCHAR(128) NOT NULL,
  aggregate_type VARCHAR(64),
  aggregate_id   VARCHAR(128),
  tenant_id      VARCHAR(64),
  payload        VARCHAR(1048576) NOT NULL CHECK (payload IS JSON),
  headers        VARCHAR(1048576) CHECK (headers IS JSON),
  status         TINYINT NOT NULL,
  attempts       INT DEFAULT 0 NOT NULL CHECK (attempts >= 0),
  -- The database's time in UTC, for whoever writes events without this library.
  available_at   TIMESTAMP(6) DEFAULT
    DATEADD(MICROSECOND, DATEDIFF(MICROSECOND, TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00', CURRENT_TIMESTAMP(6) AT TIME ZONE 'UTC'),
      TIMESTAMP '1970-01-01 00:00:00') NOT NULL,
  created_at     TIMESTAMP(6) DEFAULT
    DATEADD(MICROSECOND, DATEDIFF(MICROSECOND, TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00', CURRENT_TIMESTAMP(6) AT TIME ZONE 'UTC'),
      TIMESTAMP '1970-01-01 00:00:00') NOT NULL,
  done_at        TIMESTAMP(6),
  last_error     VARCHAR(4000),
  locked_by      VARCHAR(128),
  locked_at      TIMESTAMP(6),
  -- The order of the inserts. Delivery in order reads it (h2-ordered.sql), and it is a cursor for whoever reads the table in pieces.
  seq            BIGINT GENERATED ALWAYS AS IDENTITY,
  -- Payloads that are not text. Without these columns everything else works. No BLOB: with a large object in a table H2 chooses other indexes,
  -- and each claim and mark reads more.
  payload_bytes  VARBINARY(1048576),
  content_type   VARCHAR(255)
);

-- Finds pending events in the order in which they are taken.
CREATE INDEX IF NOT EXISTS idx_outbox_event_due ON outbox_event (status, available_at, event_id);

-- Finds finished events whose retention has passed.
CREATE INDEX IF NOT EXISTS idx_outbox_event_finished ON outbox_event (status, done_at, event_id);

-- The processes that share the table and how they deliver. Without it everything works, but nobody is seen.
CREATE TABLE IF NOT EXISTS outbox_event_node (
  owner_id   VARCHAR(128) PRIMARY KEY,
  started_at TIMESTAMP(6) NOT NULL,
  last_seen  TIMESTAMP(6) NOT NULL,
  mode       VARCHAR(32)
);

-- What is paused for all processes, by whom and why. Without it everything works, and each process can be paused alone.
CREATE TABLE IF NOT EXISTS outbox_event_pause (
  kind      VARCHAR(16) NOT NULL,
  name      VARCHAR(255) NOT NULL,
  reason    VARCHAR(1000) NOT NULL,
  paused_by VARCHAR(128) NOT NULL,
  paused_at TIMESTAMP(6) NOT NULL,
  PRIMARY KEY (kind, name)
);
