-- WARNING: deletes every event, also those that have not been delivered yet, and nothing brings them back. Not meant for production.
-- Before you apply it: stop everything that writes or delivers events, make sure that all events were delivered or archived and none will
-- be sent again, and back the table up.
DROP TABLE ${outbox_schema}${outbox_table};
