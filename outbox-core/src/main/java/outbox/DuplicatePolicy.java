package outbox;

/** What becomes of a write whose event id is in the table already. */
public enum DuplicatePolicy {
    /** The call fails with a {@link DuplicateEventException} and writes nothing; the transaction can go on. */
    FAIL,
    /** The event that is there stays as it is, and its receipt says so. */
    IGNORE
}
