-- WARNING: payloads that are not text are lost, and no process can deliver their events any more. Before you apply it: stop all processes, and let
-- none of these be pending: SELECT event_id FROM the table WHERE payload_bytes IS NOT NULL AND status IN (0, 2).
ALTER TABLE ${outbox_schema}${outbox_table} DROP COLUMN content_type, DROP COLUMN payload_bytes;
