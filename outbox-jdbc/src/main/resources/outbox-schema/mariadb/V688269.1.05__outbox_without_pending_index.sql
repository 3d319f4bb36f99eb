--liquibase formatted sql
--changeset outbox:5-${outbox_table}
-- The index by time of creation, which version 4 replaces. Apply it when the last process has ended that claims in the order of creation: such a
-- process would read all pending events for each claim.
ALTER TABLE ${outbox_schema}${outbox_table} DROP INDEX IF EXISTS idx_${outbox_table}_pending;

--rollback ALTER TABLE ${outbox_schema}${outbox_table} ADD INDEX idx_${outbox_table}_pending (status, created_at, event_id);
