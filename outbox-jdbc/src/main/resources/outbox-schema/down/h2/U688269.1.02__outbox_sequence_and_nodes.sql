-- WARNING: deletes the order in which the events were written, and with it order per aggregate; no event is lost. Not meant for production.
-- Before you apply it: stop everything that writes or delivers events, take the index of delivery in order away
-- (./outbox schema --ordered --down 1), and back the table up.
ALTER TABLE ${outbox_schema}${outbox_table} DROP COLUMN seq;

DROP TABLE IF EXISTS ${outbox_schema}${outbox_table}_node;
