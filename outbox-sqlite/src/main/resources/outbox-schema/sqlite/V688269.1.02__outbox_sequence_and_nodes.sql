--liquibase formatted sql
--changeset outbox:2-${outbox_table}
-- The processes that share the table. Only for people to look at: without it everything works, and nobody is seen.
CREATE TABLE ${outbox_schema}${outbox_table}_node (
  owner_id   TEXT PRIMARY KEY,
  started_at INTEGER NOT NULL,
  last_seen  INTEGER NOT NULL
);

--rollback DROP TABLE IF EXISTS ${outbox_schema}${outbox_table}_node;
