package outbox.internal.lease;

/**
 * How an event was leased that nobody has seen committed.
 *
 * @param sinceNanos before its insert was sent
 * @param turnKnown false if the table must be asked whether all before it in order have ended
 */
public record InsertedLease(long sinceNanos, boolean turnKnown) {}
