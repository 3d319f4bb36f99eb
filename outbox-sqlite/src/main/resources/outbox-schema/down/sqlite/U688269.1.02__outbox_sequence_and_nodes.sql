-- WARNING: deletes the list of processes that share the table; no event is lost. Before you apply it: stop everything that writes or delivers
-- events, and back the file up.
DROP TABLE IF EXISTS ${outbox_schema}${outbox_table}_node;
