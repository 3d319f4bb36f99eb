--liquibase formatted sql
--changeset outbox:2-${outbox_table}
-- Adds the column seq to a table that was created without it, in one statement: whoever writes meanwhile waits. Rows that are there
-- already are numbered by their id, which for generated ids is the order of their creation. If your ids sort otherwise and the pending events of
-- an aggregate need their order, let the pending events be delivered first, while nothing is written.
ALTER TABLE ${outbox_schema}${outbox_table} ADD COLUMN seq BIGINT NOT NULL AUTO_INCREMENT, ADD UNIQUE INDEX idx_${outbox_table}_seq (seq);

-- The processes that share the table. Only for people to look at: without it everything works, and nobody is seen.
CREATE TABLE IF NOT EXISTS ${outbox_schema}${outbox_table}_node (
  owner_id   VARCHAR(128) PRIMARY KEY,
  started_at DATETIME(6) NOT NULL,
  last_seen  DATETIME(6) NOT NULL
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

--rollback ALTER TABLE ${outbox_schema}${outbox_table} DROP INDEX idx_${outbox_table}_seq, DROP COLUMN seq;
--rollback DROP TABLE IF EXISTS ${outbox_schema}${outbox_table}_node;
