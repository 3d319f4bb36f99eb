package outbox.dispatch;

/** What becomes of the row of an event that was delivered. */
public enum CompletionMode {
    /** The row stays, marked DONE, until it is purged. */
    MARK_DONE,
    /** The row is deleted at once: less to write and nothing to purge, but no trace of what was delivered. */
    DELETE
}
