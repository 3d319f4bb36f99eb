package outbox.proof.consumer;

/** How consumers handle events and keep each other out. */
public enum Consuming {
    /** One by one, each with a lease. */
    LEASE,
    /** One by one, each in one transaction. */
    TRANSACTION,
    /** Those that arrive at about the same time in one transaction and one call of the handler. */
    BATCH
}
