-- WARNING: from then on whoever leaves the times of an event out cannot write; no event is lost. Before you apply it: stop writers that do, or
-- their business transactions fail, and back the table up.
ALTER TABLE ${outbox_schema}${outbox_table} ALTER COLUMN available_at DROP DEFAULT, ALTER COLUMN created_at DROP DEFAULT;
