--liquibase formatted sql
--changeset outbox:5-${outbox_table}
-- The index by time of creation, which version 4 replaces. Apply it when the last process has ended that claims in the order of creation: such a
-- process would read all pending events for each claim.
DROP INDEX IF EXISTS ${outbox_schema}idx_${outbox_table}_pending;

--rollback CREATE INDEX ${outbox_schema}idx_${outbox_table}_pending ON ${outbox_table} (created_at, event_id) WHERE status IN (0, 2);
