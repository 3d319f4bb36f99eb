-- WARNING: takes back what is paused for all processes: its events are delivered within seconds; no event is lost.
-- Before you apply it: stop the listeners that must not get them.
DROP TABLE IF EXISTS ${outbox_schema}${outbox_table}_pause;
