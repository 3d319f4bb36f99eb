--liquibase formatted sql
--changeset outbox:ordered-1-${outbox_table}
-- What delivery in order needs in addition to the table: finds the unfinished events of an aggregate in their order.
CREATE INDEX ${outbox_schema}idx_${outbox_table}_key ON ${outbox_table} (aggregate_type, aggregate_id, status, seq);

--rollback DROP INDEX ${outbox_schema}idx_${outbox_table}_key;
