package outbox.inbox;

/** How a consumer makes sure that nobody else handles the same event at the same time. All consumers of a group should use the same way. */
public enum Acquisition {

    /**
     * By a lease that is committed before the handler runs. Others see at once that the event is being handled, and take it over when the
     * lease has expired, even if the first owner is stuck with its transaction open. Costs a second commit for each event.
     */
    LEASE,

    /**
     * By the handler's own transaction: the record is written in it, and its uncommitted row keeps others out. One commit for each event,
     * no lease to tune, and after a crash the event is free as soon as the database has noticed. A copy that arrives in the meantime waits
     * for that transaction to end, as long as the database's lock timeout allows; on PostgreSQL it does not wait.
     */
    TRANSACTION
}
