package outbox.spi;

import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
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

    /** How many events of one key an owner holds at most, so that a slow key does not take all the room that there is. */
    int LONGEST_LINE = 32;

    /** What has an order of its own. */
    record AggregateKey(String aggregateType, String aggregateId) {

        /** Null for an event without an aggregate id, which has no order. */
        public static @Nullable AggregateKey of(String aggregateType, @Nullable String aggregateId) {
            return aggregateId == null ? null : new AggregateKey(aggregateType, aggregateId);
        }
    }

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
     * @param more whether more events of the key wait, which were left because the owner holds {@link #LONGEST_LINE} of them
     */
    record Run(List<LeaseStore.Taken> events, Set<String> ahead, boolean more) {

        /** A run behind which nothing was left. */
        public Run(List<LeaseStore.Taken> events, Set<String> ahead) {
            this(events, ahead, false);
        }
    }

    /**
     * The result of a claim.
     *
     * @param othersWait whether there are due events that could not be claimed, because an earlier one of their key is not due or belongs
     *     to another owner
     * @param unfinished whether the claim stopped before it had looked at everything that is due, without having found enough
     * @param next where the next claim may begin to look, see {@link LeaseStore.Found}
     * @param putOff the ids of events, one of each key, that were put off in the caller's transaction: to be given to {@link #bringBack} once that is
     *     committed, because whoever let their keys go on before saw nothing of it. Empty if the claim has committed and looked itself
     */
    record Claimed(
            List<Run> runs,
            boolean othersWait,
            boolean unfinished,
            LeaseStore.@Nullable Position next,
            Set<String> putOff) {

        /** The result of a claim that has put nothing off in its caller's transaction. */
        public Claimed(List<Run> runs, boolean othersWait, boolean unfinished, LeaseStore.@Nullable Position next) {
            this(runs, othersWait, unfinished, next, Set.of());
        }

        /** The result of a claim that has looked at everything. */
        public Claimed(List<Run> runs, boolean othersWait) {
            this(runs, othersWait, false, null);
        }
    }

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
     *
     * <p>In autocommit mode what was taken is returned whatever fails afterwards; in the caller's transaction the claim fails as a whole.
     */
    Claimed claim(Connection conn, String ownerId, Duration timeout, Duration skipRecent, int limit);

    /**
     * As {@link #claim(Connection, String, Duration, Duration, int)}, and says where to go on. By default a claim always looks from the
     * beginning, and at no key in particular.
     *
     * @param continued keys of which the owner knows that more of their events wait: they are looked at wherever these lie
     */
    default Claimed claim(Connection conn, LeaseStore.ClaimRequest request, Collection<AggregateKey> continued) {
        return claim(conn, request.ownerId(), request.timeout(), request.skipRecent(), request.limit());
    }

    /** Those of the DEAD events that hold their keys. */
    default Set<String> holdingKeys(Connection conn, Collection<String> eventIds) {
        return Set.of();
    }

    /**
     * Lets the next events be found that were put off in the keys of these, as far as their keys go on. To be called after the transaction has been
     * committed that lets the keys go on, or that put events off; if it is not, the events are found all the same, but later. Returns how many there were.
     */
    default int bringBack(Connection conn, Collection<String> eventIds) {
        return 0;
    }

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
