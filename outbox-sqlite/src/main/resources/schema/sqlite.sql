-- Outbox table for SQLite 3.44 or newer. Times are microseconds since 1970 in UTC. The payload is text, so that it comes back byte for
-- byte as it was written.
CREATE TABLE IF NOT EXISTS outbox_event (
  -- The order of the inserts, which is the table's own key: a number is never given twice.
  seq            INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id       TEXT NOT NULL UNIQUE,
  event_type     TEXT NOT NULL,
  aggregate_type TEXT,
  aggregate_id   TEXT,
  tenant_id      TEXT,
  payload        TEXT NOT NULL CHECK (json_valid(payload)),
  headers        TEXT CHECK (json_valid(headers)),
  status         INTEGER NOT NULL,
  attempts       INTEGER DEFAULT 0 NOT NULL CHECK (attempts >= 0),
  -- The database's time, for whoever writes events without this library.
  available_at   INTEGER DEFAULT (CAST(unixepoch('subsec') * 1000000 AS INTEGER)) NOT NULL,
  created_at     INTEGER DEFAULT (CAST(unixepoch('subsec') * 1000000 AS INTEGER)) NOT NULL,
  done_at        INTEGER,
  last_error     TEXT,
  locked_by      TEXT,
  locked_at      INTEGER,
  -- Payloads that are not text. Without these columns everything else works.
  payload_bytes  BLOB,
  content_type   TEXT
);

-- Finds pending events in the order in which they are taken.
CREATE INDEX IF NOT EXISTS idx_outbox_event_due ON outbox_event (available_at, event_id) WHERE status IN (0, 2);

-- Finds finished events whose retention has passed.
CREATE INDEX IF NOT EXISTS idx_outbox_event_finished ON outbox_event (status, done_at, event_id);

-- The processes that share the table and how they deliver. Without it everything works, but nobody is seen.
CREATE TABLE IF NOT EXISTS outbox_event_node (
  owner_id   TEXT PRIMARY KEY,
  started_at INTEGER NOT NULL,
  last_seen  INTEGER NOT NULL,
  mode       TEXT
);

-- What is paused for all processes, by whom and why. Without it everything works, and each process can be paused alone.
CREATE TABLE IF NOT EXISTS outbox_event_pause (
  kind      TEXT NOT NULL,
  name      TEXT NOT NULL,
  reason    TEXT NOT NULL,
  paused_by TEXT NOT NULL,
  paused_at INTEGER NOT NULL,
  PRIMARY KEY (kind, name)
);
