--liquibase formatted sql
--changeset outbox:8-${outbox_table}
-- Payloads that are not text: Avro, Protobuf, and whatever is encrypted or compressed. Without the columns everything else works.
-- No BLOB: with a large object in a table H2 chooses other indexes, and each claim and mark reads more.
ALTER TABLE ${outbox_schema}${outbox_table} ADD COLUMN IF NOT EXISTS payload_bytes VARBINARY(1048576);

ALTER TABLE ${outbox_schema}${outbox_table} ADD COLUMN IF NOT EXISTS content_type VARCHAR(255);

--rollback ALTER TABLE ${outbox_schema}${outbox_table} DROP COLUMN content_type;
--rollback ALTER TABLE ${outbox_schema}${outbox_table} DROP COLUMN payload_bytes;
