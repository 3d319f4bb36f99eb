-- WARNING: without this index no process can deliver in order; no event is lost. Before you apply it: stop all processes that deliver in
-- order, and back the table up.
DROP INDEX ${outbox_schema}idx_${outbox_table}_key;
