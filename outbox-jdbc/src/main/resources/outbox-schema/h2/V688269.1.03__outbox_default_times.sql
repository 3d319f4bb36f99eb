--liquibase formatted sql
--changeset outbox:3-${outbox_table}
-- Whoever writes events without this library, in whatever language, can leave the times out: they become the database's, in UTC.
ALTER TABLE ${outbox_schema}${outbox_table} ALTER COLUMN available_at SET DEFAULT
  DATEADD(MICROSECOND, DATEDIFF(MICROSECOND, TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00', CURRENT_TIMESTAMP(6) AT TIME ZONE 'UTC'),
    TIMESTAMP '1970-01-01 00:00:00');
ALTER TABLE ${outbox_schema}${outbox_table} ALTER COLUMN created_at SET DEFAULT
  DATEADD(MICROSECOND, DATEDIFF(MICROSECOND, TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00', CURRENT_TIMESTAMP(6) AT TIME ZONE 'UTC'),
    TIMESTAMP '1970-01-01 00:00:00');

--rollback ALTER TABLE ${outbox_schema}${outbox_table} ALTER COLUMN available_at DROP DEFAULT;
--rollback ALTER TABLE ${outbox_schema}${outbox_table} ALTER COLUMN created_at DROP DEFAULT;
