--liquibase formatted sql
--changeset outbox:6-${outbox_table}
-- How each process delivers, for people and for its neighbours: one that leases nothing must be alone. Without it all works, but only that one notices.
-- Somebody may have dropped the table: nothing depends on it.
CREATE TABLE IF NOT EXISTS ${outbox_schema}${outbox_table}_node (
  owner_id   VARCHAR(128) PRIMARY KEY,
  started_at DATETIME(6) NOT NULL,
  last_seen  DATETIME(6) NOT NULL
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- A table of nodes that a newer script has created has the column, and MySQL cannot add what may be there.
SET @outbox_add = (SELECT IF(COUNT(*) = 0, 'ALTER TABLE ${outbox_schema}${outbox_table}_node ADD COLUMN mode VARCHAR(32)', 'DO 0')
  FROM information_schema.columns
  WHERE table_schema = COALESCE(NULLIF(TRIM(TRAILING '.' FROM '${outbox_schema}'), ''), DATABASE())
    AND table_name = '${outbox_table}_node' AND column_name = 'mode');
PREPARE outbox_add FROM @outbox_add;
EXECUTE outbox_add;
DEALLOCATE PREPARE outbox_add;

--rollback ALTER TABLE ${outbox_schema}${outbox_table}_node DROP COLUMN mode;
