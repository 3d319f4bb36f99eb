--liquibase formatted sql
--changeset outbox:4-${outbox_table}
-- Finds pending events in the order in which they are due, so that those that are not due yet cost nothing. Apply it before the first process
-- of a version that claims in this order starts: without it all works, but each claim reads all pending events.
CREATE INDEX ${outbox_schema}idx_${outbox_table}_due ON ${outbox_table} (available_at, event_id) WHERE status IN (0, 2);

--rollback DROP INDEX ${outbox_schema}idx_${outbox_table}_due;
