-- Outbox table for MariaDB 10.5 or newer. Its JSON type is text that is checked, so the payload comes back byte for byte.
CREATE TABLE IF NOT EXISTS outbox_event (
  event_id       VARCHAR(36) NOT NULL PRIMARY KEY,
  event_type     VARCHAR(128) NOT NULL,
  aggregate_type VARCHAR(64),
  aggregate_id   VARCHAR(128),
  tenant_id      VARCHAR(64),
  payload        JSON NOT NULL,
  headers        JSON,
  status         TINYINT NOT NULL,
  attempts       INT NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  -- The database's time in UTC, for whoever writes events without this library.
  available_at   DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
  created_at     DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
  done_at        DATETIME(6),
  last_error     TEXT,
  locked_by      VARCHAR(128),
  locked_at      DATETIME(6),
  -- The order of the inserts. Delivery in order reads it (mariadb-ordered.sql), and it is a cursor for whoever reads the table in pieces.
  seq            BIGINT NOT NULL AUTO_INCREMENT,
  -- Payloads that are not text. Without these columns everything else works.
  payload_bytes  LONGBLOB,
  content_type   VARCHAR(255),
  -- Finds finished events whose retention has passed.
  INDEX idx_outbox_event_finished (status, done_at),
  -- Finds pending events in the order in which they are taken.
  INDEX idx_outbox_event_due (status, available_at, event_id),
  -- Finds events by their number, for whoever reads the table in pieces.
  UNIQUE INDEX idx_outbox_event_seq (seq)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The processes that share the table and how they deliver. Without it everything works, but nobody is seen.
CREATE TABLE IF NOT EXISTS outbox_event_node (
  owner_id   VARCHAR(128) PRIMARY KEY,
  started_at DATETIME(6) NOT NULL,
  last_seen  DATETIME(6) NOT NULL,
  mode       VARCHAR(32)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- What is paused for all processes, by whom and why. Without it everything works, and each process can be paused alone.
CREATE TABLE IF NOT EXISTS outbox_event_pause (
  kind      VARCHAR(16) NOT NULL,
  name      VARCHAR(255) NOT NULL,
  reason    VARCHAR(1000) NOT NULL,
  paused_by VARCHAR(128) NOT NULL,
  paused_at DATETIME(6) NOT NULL,
  PRIMARY KEY (kind, name)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
