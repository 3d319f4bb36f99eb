-- WARNING: from then on each claim reads all pending events; no event is lost. Before you apply it: stop all
-- processes that claim in this order, or replace them by older ones.
DROP INDEX ${outbox_schema}idx_${outbox_table}_due;
