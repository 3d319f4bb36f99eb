-- WARNING: from then on each claim reads all pending events; no event is lost. Before you apply it: replace all processes by ones that claim in
-- the order of creation.
ALTER TABLE ${outbox_schema}${outbox_table} DROP INDEX idx_${outbox_table}_due;
