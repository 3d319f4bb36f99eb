-- Tells listening processes of events that nobody has leased; see PostgresWakeUps. Optional, for PostgreSQL 14 or newer.
CREATE OR REPLACE FUNCTION outbox_event_notify() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('outbox_event', '');
  RETURN NULL;
END $$;

-- One notification for each transaction, however many events it writes: the server drops those that are equal.
CREATE OR REPLACE TRIGGER outbox_event_notify AFTER INSERT ON outbox_event
  FOR EACH ROW WHEN (NEW.locked_by IS NULL) EXECUTE FUNCTION outbox_event_notify();
