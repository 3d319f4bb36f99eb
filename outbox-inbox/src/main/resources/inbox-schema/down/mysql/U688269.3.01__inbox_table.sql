-- WARNING: deletes what is known of the events that arrived: one that arrives again is handled again, and failed ones are not retried. Not meant
-- for production. Before you apply it: stop all consumers, make sure that no event will be sent again, and back the table up.
DROP TABLE ${inbox_schema}${inbox_table};
