--liquibase formatted sql
--changeset outbox:8-${outbox_table}
-- Payloads that are not text: Avro, Protobuf, and whatever is encrypted or compressed. Without the columns everything else works.
-- Rewrites nothing (MySQL 8.0.12), but waits until no transaction uses the table, and whoever comes meanwhile waits too.
ALTER TABLE ${outbox_schema}${outbox_table} ADD COLUMN payload_bytes LONGBLOB, ADD COLUMN content_type VARCHAR(255);

--rollback ALTER TABLE ${outbox_schema}${outbox_table} DROP COLUMN content_type, DROP COLUMN payload_bytes;
