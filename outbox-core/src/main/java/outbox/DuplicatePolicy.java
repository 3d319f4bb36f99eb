package outbox;

/** What happens to a write whose event id is already in the table. */
public enum DuplicatePolicy {
    /** The call fails with a {@link DuplicateEventException} and writes nothing; the transaction can go on. */
    FAIL,
    /** The existing event stays as it is, and the receipt says so. */
    IGNORE
}
