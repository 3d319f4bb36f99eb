--liquibase formatted sql
--changeset outbox:inbox-1-${inbox_table}
-- What has become of the events that arrived, for MariaDB 10.5 or newer.
CREATE TABLE ${inbox_schema}${inbox_table} (
  consumer_group VARCHAR(64) NOT NULL,
  event_id       VARCHAR(64) NOT NULL,
  event_type     VARCHAR(128) NOT NULL,
  tenant_id      VARCHAR(64),
  -- 0 PROCESSING, 1 SUCCEEDED, 2 FAILED
  status         TINYINT NOT NULL,
  -- Who handles it, or was the last to do so; until when nobody else may.
  locked_by      VARCHAR(128),
  locked_until   DATETIME(6),
  -- Null when FAILED: maxRetry was exceeded, and no retry is planned.
  next_retry_at  DATETIME(6),
  retry_count    INT NOT NULL DEFAULT 0,
  error_msg      VARCHAR(256),
  processed_at   DATETIME(6),
  created_at     DATETIME(6) NOT NULL,
  updated_at     DATETIME(6) NOT NULL,
  -- The rest of a failed event, if it was asked to be kept for the retry runner.
  aggregate_type VARCHAR(64),
  aggregate_id   VARCHAR(128),
  occurred_at    DATETIME(6),
  headers        LONGTEXT,
  payload        LONGTEXT,
  PRIMARY KEY (consumer_group, event_id),
  -- Finds retries that are due.
  INDEX idx_${inbox_table}_due (consumer_group, event_type, next_retry_at),
  -- Finds failed records, and records whose retention has passed.
  INDEX idx_${inbox_table}_status (status, created_at)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

--rollback DROP TABLE ${inbox_schema}${inbox_table};
