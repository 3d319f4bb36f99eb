-- WARNING: takes back what is paused for all processes: its events are delivered within seconds. No event is lost.
DROP TABLE IF EXISTS ${outbox_schema}${outbox_table}_pause;
