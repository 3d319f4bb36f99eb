package outbox.inbox;

/** What a consumer that asked for an event was told. */
public enum AcquireConsumeState {
    /** The event is the caller's: nobody had it, or the lease of whoever had it has expired. */
    ACQUIRED,
    /** It was handled before. */
    REPLAY_SUCCEEDED,
    /** Somebody else is handling it, or it has failed and its retry is not due. */
    IN_PROGRESS,
    /** It had failed, its retry is due, and it is the caller's now. */
    RETRYABLE_FAILED,
    /** The group knows the id as an event of another type. */
    CONFLICT
}
