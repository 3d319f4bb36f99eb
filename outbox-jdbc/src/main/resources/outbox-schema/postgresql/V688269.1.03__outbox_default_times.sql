--liquibase formatted sql
--changeset outbox:3-${outbox_table}
-- Whoever writes events without this library, in whatever language, can leave the times out: they become the database's, in UTC.
-- If your times are columns without a time zone, write now() AT TIME ZONE 'UTC' instead.
ALTER TABLE ${outbox_schema}${outbox_table} ALTER COLUMN available_at SET DEFAULT now(), ALTER COLUMN created_at SET DEFAULT now();

--rollback ALTER TABLE ${outbox_schema}${outbox_table} ALTER COLUMN available_at DROP DEFAULT, ALTER COLUMN created_at DROP DEFAULT;
