package outbox.proof.history;

/**
 * The time in which a process kept an event from all others: from when it took it until it had recorded its outcome, or had given it back.
 *
 * @param outbox the table that it came from
 * @param to when that ended, or when the process did
 */
public record Flight(String outbox, String eventId, String process, long from, long to) {}
