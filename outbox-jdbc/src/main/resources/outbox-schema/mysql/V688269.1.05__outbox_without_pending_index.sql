--liquibase formatted sql
--changeset outbox:5-${outbox_table}
-- The index by time of creation, which version 4 replaces. Apply it when the last process has ended that claims in the order of creation: such a
-- process would read all pending events for each claim.
-- A table that was not created by the script of the first version has no index of this name, and MySQL cannot drop what may not be there.
SET @outbox_drop = (SELECT IF(COUNT(*) > 0, 'ALTER TABLE ${outbox_schema}${outbox_table} DROP INDEX idx_${outbox_table}_pending', 'DO 0')
  FROM information_schema.statistics
  WHERE table_schema = COALESCE(NULLIF(TRIM(TRAILING '.' FROM '${outbox_schema}'), ''), DATABASE())
    AND table_name = '${outbox_table}' AND index_name = 'idx_${outbox_table}_pending');
PREPARE outbox_drop FROM @outbox_drop;
EXECUTE outbox_drop;
DEALLOCATE PREPARE outbox_drop;

--rollback ALTER TABLE ${outbox_schema}${outbox_table} ADD INDEX idx_${outbox_table}_pending (status, created_at, event_id);
