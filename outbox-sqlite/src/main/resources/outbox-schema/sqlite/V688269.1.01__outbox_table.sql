--liquibase formatted sql
--changeset outbox:1-${outbox_table}
-- Outbox table for SQLite 3.44 or newer. Times are microseconds since 1970 in UTC. The payload is text, so that it comes back byte for
-- byte as it was written. The number of an event and the default times are there from the first version on: SQLite cannot add them later.
CREATE TABLE ${outbox_schema}${outbox_table} (
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
  locked_at      INTEGER
);

-- Finds pending events in the order in which they are taken.
CREATE INDEX ${outbox_schema}idx_${outbox_table}_pending ON ${outbox_table} (created_at, event_id) WHERE status IN (0, 2);

-- Finds finished events whose retention has passed.
CREATE INDEX ${outbox_schema}idx_${outbox_table}_finished ON ${outbox_table} (status, done_at, event_id);

--rollback DROP TABLE ${outbox_schema}${outbox_table};
