package outbox.spi;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.WriteReceipt;
import outbox.model.BlockedKey;

/**
 * What a store does for ordered delivery: the events of one key are delivered one after another, in the order of their inserts. A key is
 * an aggregate type with an aggregate id; events without an aggregate id have no key and no order.
 *
 * <p>An event is <em>unfinished</em> as long as it is neither DONE nor DEAD, or if it is DEAD and {@linkplain LeaseStore.HeldDead#holdsKey
 * holds its key}. An event may be delivered when no earlier one of its key is unfinished.
 *
 * <p>Order is that of the inserts. Between two transactions that were open at the same time there is no order, unless one had to wait for
 * the other, for example because both lock the row of their aggregate before they insert.
 */
public interface OrderedStore {

    /** The owner of a DEAD event that holds its key. */
    String KEY_HELD = "(holds its key)";

    /** Whether an event may be delivered after its insert. */
    enum Standing {
        /** Leased to nobody, because an earlier event of its key is not leased to the owner. */
        FREE,
        /** Leased to the owner, and no earlier event of its key is unfinished. */
        FIRST,
        /** Leased to the owner; {@link #isFirst} must be asked before it is delivered. */
        BEHIND
    }

    /**
     * Leased events of one key that follow each other without a gap, or a single event without a key.
     *
     * @param ahead the ids of earlier unfinished events of the key, all of them leased to the same owner before
     */
    record Run(List<LeaseStore.Taken> events, Set<String> ahead) {}

    /**
     * The result of a claim.
     *
     * @param othersWait whether there are due events that could not be claimed, because an earlier one of their key is not due or belongs
     *     to another owner
     */
    record Claimed(List<Run> runs, boolean othersWait) {}

    /**
     * Inserts the events as NEW, in order and in the connection's current transaction, and returns the standing of each. A
     * {@linkplain EventEnvelope#isDelayed() delayed} one is {@link Standing#FREE}.
     */
    List<Standing> insert(Connection conn, List<EventEnvelope> events, String ownerId);

    /**
     * What happened to an event.
     *
     * @param standing {@link Standing#FREE} if the table already contained it
     */
    record Placed(WriteReceipt receipt, Standing standing) {}

    /**
     * As {@link #insert}, for those events whose ids are not in the table yet; see {@link OutboxStore#insertOnce}.
     *
     * @throws UnsupportedOperationException if the store does not support it; the default
     */
    default List<Placed> insertOnce(
            Connection conn, List<EventEnvelope> events, DuplicatePolicy policy, String ownerId) {
        throw new UnsupportedOperationException(getClass().getName() + " does not override insertOnce");
    }

    /** Whether no earlier event of the same key is unfinished. Asked outside of the transaction that inserted the event. */
    boolean isFirst(Connection conn, String eventId);

    /**
     * Leases events as {@link LeaseStore#claim} does, but of each key only those that directly follow its finished events or the events
     * that the owner already holds. Only the first unfinished event of a key can be a suspect: those behind it have not begun.
     */
    Claimed claim(Connection conn, String ownerId, Duration timeout, Duration skipRecent, int limit);

    /** The keys whose first unfinished event has failed, longest blocked first. */
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
