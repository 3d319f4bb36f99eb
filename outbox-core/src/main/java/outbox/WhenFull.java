package outbox;

/** What becomes of a write while more events are pending than an outbox may have; see {@link OutboxBuilder#pendingLimit}. */
public enum WhenFull {
    /** It fails with an {@link OutboxFullException}, and nothing is inserted. */
    REFUSE,
    /** It goes on. The log and the health of the outbox tell. */
    WARN
}
