package outbox.spi;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.WriteReceipt;
import outbox.model.BlockedKey;
import outbox.model.OutboxEvent;

/**
 * What a store does for events that are delivered in the order in which they were inserted, those of one key after one another. A key is an
 * aggregate type with an aggregate id; events without an aggregate id have none, and no order.
 *
 * <p>An event is <em>unfinished</em> as long as it is neither DONE nor DEAD, or if it is DEAD and {@linkplain LeaseStore.HeldDead#holdsKey
 * holds its key}. An event may be delivered when no earlier one of its key is unfinished.
 *
 * <p>Order is that of the inserts. Of two transactions that were open at the same time it says nothing, unless one had to wait for the
 * other, as those do that lock the row of their aggregate before they insert.
 */
public interface OrderedStore {

    /** The owner of a DEAD event that keeps the later ones of its key from being delivered. */
    String KEY_HELD = "(holds its key)";

    /** How an event stands after its insert. */
    enum Standing {
        /** Belongs to nobody: an earlier event of its key does not belong to the owner. */
        FREE,
        /** Leased to the owner, and no earlier event of its key is unfinished. */
        FIRST,
        /** Leased to the owner; before it is delivered {@link #isFirst} must be asked. */
        BEHIND
    }

    /**
     * Events of one key that follow each other without a gap, or a single event without a key.
     *
     * @param ahead the ids of earlier unfinished events of the key, all of them leased to the same owner before
     */
    record Run(List<OutboxEvent> events, Set<String> ahead) {}

    /**
     * What a claim has got.
     *
     * @param othersWait whether events are due that could not be had, because an earlier one of their key is not due or belongs to
     *     somebody else
     */
    record Claimed(List<Run> runs, boolean othersWait) {}

    /**
     * Inserts the events as NEW, in order and in the connection's current transaction, and tells how each of them stands. One that is
     * {@linkplain EventEnvelope#isDelayed() delayed} is free.
     */
    List<Standing> insert(Connection conn, List<EventEnvelope> events, String ownerId);

    /**
     * What became of an event.
     *
     * @param standing {@link Standing#FREE} if it was there before
     */
    record Placed(WriteReceipt receipt, Standing standing) {}

    /**
     * As {@link #insert}, for those of the events whose id is not there yet; see {@link OutboxStore#insertOnce}.
     *
     * @throws UnsupportedOperationException if the store cannot; the default
     */
    default List<Placed> insertOnce(
            Connection conn, List<EventEnvelope> events, DuplicatePolicy policy, String ownerId) {
        throw new UnsupportedOperationException(getClass().getName() + " does not override insertOnce");
    }

    /** Whether no earlier event of the same key is unfinished. Asked outside of the transaction that inserted the event. */
    boolean isFirst(Connection conn, String eventId);

    /**
     * Leases events as {@link LeaseStore#claim} does, but of each key only what follows, without a gap, the end of its finished events or
     * what the owner holds already.
     */
    Claimed claim(Connection conn, String ownerId, Duration timeout, Duration skipRecent, int limit);

    /** The keys whose first unfinished event has failed, those that have been blocked for longest first. */
    List<BlockedKey> blockedKeys(Connection conn, int limit);

    /**
     * Lets a key go on without the DEAD event that holds it.
     *
     * @return 1, or 0 if there is no such event or it holds no key
     */
    int letKeyGo(Connection conn, String eventId);

    /** Checks that the table has what order needs, and throws an exception that names what is missing and how to get it. */
    void checkSchema(Connection conn);
}
