--liquibase formatted sql
--changeset outbox:inbox-1-${inbox_table}
-- What has become of the events that arrived, for H2 2.x.
CREATE TABLE ${inbox_schema}${inbox_table} (
  consumer_group VARCHAR(64) NOT NULL,
  event_id       VARCHAR(64) NOT NULL,
  event_type     VARCHAR(128) NOT NULL,
  tenant_id      VARCHAR(64),
  -- 0 PROCESSING, 1 SUCCEEDED, 2 FAILED
  status         TINYINT NOT NULL,
  -- Who handles it, or was the last to do so; until when nobody else may.
  locked_by      VARCHAR(128),
  locked_until   TIMESTAMP(6) WITH TIME ZONE,
  -- Null when FAILED: maxRetry was exceeded, and no retry is planned.
  next_retry_at  TIMESTAMP(6) WITH TIME ZONE,
  retry_count    INT DEFAULT 0 NOT NULL,
  error_msg      VARCHAR(256),
  processed_at   TIMESTAMP(6) WITH TIME ZONE,
  created_at     TIMESTAMP(6) WITH TIME ZONE NOT NULL,
  updated_at     TIMESTAMP(6) WITH TIME ZONE NOT NULL,
  -- The rest of a failed event, if it was asked to be kept for the retry runner.
  aggregate_type VARCHAR(64),
  aggregate_id   VARCHAR(128),
  occurred_at    TIMESTAMP(6),
  headers        VARCHAR(1048576),
  payload        VARCHAR(1048576),
  PRIMARY KEY (consumer_group, event_id)
);

-- Finds retries that are due.
CREATE INDEX idx_${inbox_table}_due
  ON ${inbox_schema}${inbox_table} (consumer_group, event_type, next_retry_at);

-- Finds failed records, and records whose retention has passed.
CREATE INDEX idx_${inbox_table}_status ON ${inbox_schema}${inbox_table} (status, created_at);

--rollback DROP TABLE ${inbox_schema}${inbox_table};
