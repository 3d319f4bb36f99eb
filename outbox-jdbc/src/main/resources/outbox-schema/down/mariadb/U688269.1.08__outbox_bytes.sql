-- WARNING: payloads that are not text are lost, with all that a payload transformer has made; their events end DEAD.
-- Before you apply it: stop what writes them, and let those that are pending be delivered: those in which payload_bytes is not NULL.
ALTER TABLE ${outbox_schema}${outbox_table} DROP COLUMN content_type, DROP COLUMN payload_bytes;
