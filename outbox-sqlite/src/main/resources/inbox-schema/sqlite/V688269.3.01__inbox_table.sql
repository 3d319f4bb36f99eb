--liquibase formatted sql
--changeset outbox:inbox-1-${inbox_table}
-- What has become of the events that arrived, for SQLite 3.44 or newer. Times are microseconds since 1970 in UTC.
CREATE TABLE ${inbox_schema}${inbox_table} (
  consumer_group TEXT NOT NULL,
  event_id       TEXT NOT NULL,
  event_type     TEXT NOT NULL,
  tenant_id      TEXT,
  -- 0 PROCESSING, 1 SUCCEEDED, 2 FAILED
  status         INTEGER NOT NULL,
  -- Who handles it, or was the last to do so; until when nobody else may.
  locked_by      TEXT,
  locked_until   INTEGER,
  -- Null when FAILED: maxRetry was exceeded, and no retry is planned.
  next_retry_at  INTEGER,
  retry_count    INTEGER DEFAULT 0 NOT NULL,
  error_msg      TEXT,
  processed_at   INTEGER,
  created_at     INTEGER NOT NULL,
  updated_at     INTEGER NOT NULL,
  -- The rest of a failed event, if it was asked to be kept for the retry runner.
  aggregate_type TEXT,
  aggregate_id   TEXT,
  occurred_at    INTEGER,
  headers        TEXT,
  payload        TEXT,
  PRIMARY KEY (consumer_group, event_id)
);

-- Finds retries that are due.
CREATE INDEX ${inbox_schema}idx_${inbox_table}_due
  ON ${inbox_table} (consumer_group, event_type, next_retry_at);

-- Finds failed records, and records whose retention has passed.
CREATE INDEX ${inbox_schema}idx_${inbox_table}_status ON ${inbox_table} (status, created_at);

--rollback DROP TABLE ${inbox_schema}${inbox_table};
