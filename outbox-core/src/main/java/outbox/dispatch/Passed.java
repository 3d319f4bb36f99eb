package outbox.dispatch;

/**
 * An event that has passed the gate of its listener, and must leave it.
 *
 * @param era in which it passed
 */
record Passed(QueuedEvent event, ListenerGate gate, int era) {}
