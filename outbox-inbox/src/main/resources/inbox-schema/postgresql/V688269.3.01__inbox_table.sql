--liquibase formatted sql
--changeset outbox:inbox-1-${inbox_table}
-- What has become of the events that arrived, for PostgreSQL 13 or newer.
CREATE TABLE ${inbox_schema}${inbox_table} (
  consumer_group VARCHAR(64) NOT NULL,
  event_id       VARCHAR(64) NOT NULL,
  event_type     VARCHAR(128) NOT NULL,
  tenant_id      VARCHAR(64),
  -- 0 PROCESSING, 1 SUCCEEDED, 2 FAILED
  status         SMALLINT NOT NULL,
  -- Who handles it, or was the last to do so; until when nobody else may.
  locked_by      VARCHAR(128),
  locked_until   TIMESTAMPTZ(6),
  -- Null when FAILED: maxRetry was exceeded, and no retry is planned.
  next_retry_at  TIMESTAMPTZ(6),
  retry_count    INT NOT NULL DEFAULT 0,
  error_msg      VARCHAR(256),
  processed_at   TIMESTAMPTZ(6),
  created_at     TIMESTAMPTZ(6) NOT NULL,
  updated_at     TIMESTAMPTZ(6) NOT NULL,
  -- The rest of a failed event, if it was asked to be kept for the retry runner.
  aggregate_type VARCHAR(64),
  aggregate_id   VARCHAR(128),
  occurred_at    TIMESTAMPTZ(6),
  headers        TEXT,
  payload        TEXT,
  PRIMARY KEY (consumer_group, event_id)
);

-- Finds retries that are due, and failed records. An event that succeeds at once is never in it. No index holds the status, or a column that
-- changes with it: so marking a record touches no index. One for both, because each index costs every event something, also outside of it.
CREATE INDEX idx_${inbox_table}_failed
  ON ${inbox_schema}${inbox_table} (consumer_group, event_type, next_retry_at) WHERE error_msg IS NOT NULL;

-- Finds records whose retention has passed.
CREATE INDEX idx_${inbox_table}_created ON ${inbox_schema}${inbox_table} (created_at);

--rollback DROP TABLE ${inbox_schema}${inbox_table};
