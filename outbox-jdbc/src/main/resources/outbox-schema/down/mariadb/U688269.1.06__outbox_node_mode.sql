-- WARNING: from then on nobody sees how a process delivers; no event is lost. Before you apply it: stop what must not warn; a process that
-- runs on may say once that it cannot look for its neighbours.
ALTER TABLE ${outbox_schema}${outbox_table}_node DROP COLUMN mode;
