package outbox.dispatch;

import outbox.internal.lease.LeaseKeeper;

/** What the flow of events wants done in the table about leases. */
interface LeaseWork {

    /** Frees the rows of events that were given back. */
    void releaseGivenBack();

    /** See {@link LeaseKeeper#writeDown}. */
    boolean writeDown(String eventId, int attempts);

    /** Soon renews the leases of events that were committed after they had expired. */
    void renewSoon();
}
