--liquibase formatted sql
--changeset outbox:8-${outbox_table}
-- Payloads that are not text: Avro, Protobuf, and whatever is encrypted or compressed. Without the columns everything else works.
-- Rewrites nothing, but waits until no transaction uses the table, and whoever comes meanwhile waits too: SET lock_timeout if some last long.
ALTER TABLE ${outbox_schema}${outbox_table} ADD COLUMN IF NOT EXISTS payload_bytes BYTEA, ADD COLUMN IF NOT EXISTS content_type VARCHAR(255);

--rollback ALTER TABLE ${outbox_schema}${outbox_table} DROP COLUMN content_type, DROP COLUMN payload_bytes;
