--liquibase formatted sql
--changeset outbox:3-${outbox_table} stripComments:false
-- Whoever writes events without this library, in whatever language, can leave the times out: they become the database's, in UTC.
-- From MySQL 8.0.13 on, which reads the comment; on older ones nothing changes. TiDB has no such defaults: there the second version is the last.
ALTER TABLE ${outbox_schema}${outbox_table}
  /*!80013 ALTER COLUMN available_at SET DEFAULT (UTC_TIMESTAMP(6)), ALTER COLUMN created_at SET DEFAULT (UTC_TIMESTAMP(6)) */;

--rollback ALTER TABLE ${outbox_schema}${outbox_table} ALTER COLUMN available_at DROP DEFAULT, ALTER COLUMN created_at DROP DEFAULT;
