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
import outbox.model.OutboxEvent;
import outbox.model.OutboxNode;

/**
 * What a store does for several processes that share its table. An event belongs to one owner at a time, for as long as the owner
 * renews its lease.
 *
 * <p>Time is the database's: whether a lease has expired and whether an event is due never depends on the clock of the process that
 * asks. Every change carries the owner and the {@linkplain Held hold} it is based on, and changes nothing if either is not the row's
 * any more.
 *
 * <p>As in {@link OutboxStore}, connections belong to the caller, and a store commits only a transaction that it began itself.
 */
public interface LeaseStore {

    /** Why an event is DEAD that had no attempts left and no error. */
    String USED_UP = "Attempts used up";

    /**
     * An event as an owner took it. The number of attempts tells its holds apart: it grows whenever an event changes hands without
     * having been given back.
     */
    record Held(String eventId, int attempts) {}

    /**
     * A failed delivery that is to be repeated.
     *
     * @param delay from now, by the database's clock
     */
    record HeldRetry(Held held, Duration delay, String error) {}

    /**
     * A failed delivery that is not to be repeated.
     *
     * @param error null leaves the error that the row has, or else says {@link #USED_UP}
     * @param holdsKey whether it stays unfinished for later events of its key; see {@link OrderedStore}
     */
    record HeldDead(Held held, @Nullable String error, boolean holdsKey) {

        /** A failed delivery that keeps nobody waiting. */
        public HeldDead(Held held, @Nullable String error) {
            this(held, error, false);
        }
    }

    /** Inserts the events as NEW and leased to the owner, in the connection's current transaction. */
    void insertLeased(Connection conn, List<EventEnvelope> events, String ownerId);

    /**
     * As {@link OutboxStore#insertOnce}, and leases some of those that are inserted to the owner.
     *
     * @param leased the ids of the events to lease; none that is {@linkplain EventEnvelope#isDelayed() delayed}
     * @throws UnsupportedOperationException if the store cannot; the default
     */
    default List<WriteReceipt> insertOnce(
            Connection conn, List<EventEnvelope> events, DuplicatePolicy policy, String ownerId, Set<String> leased) {
        throw new UnsupportedOperationException(getClass().getName() + " does not override insertOnce");
    }

    /**
     * Leases events that are due and that nobody holds, oldest first. An event whose lease has expired counts an attempt, because its
     * owner may have died of it, and says so in its error text.
     *
     * <p>In autocommit mode the claim is committed on return; otherwise it is part of the caller's transaction.
     *
     * @param timeout the age at which a lease that was not renewed has expired
     * @param skipRecent leaves out events created less than this before now
     */
    List<OutboxEvent> claim(Connection conn, String ownerId, Duration timeout, Duration skipRecent, int limit);

    /**
     * Makes the leases of the given events new, as far as the owner still holds them; returns the ids of those. May leave out events whose
     * rows somebody has locked, instead of waiting for them; {@link #stillHeld} tells which of the others were not lost.
     */
    Set<String> renew(Connection conn, String ownerId, Collection<String> eventIds);

    /**
     * Returns the ids of those events that the owner holds, of which {@link #renew} left some out. For a store that leaves out none but
     * those that are lost: empty, which is the default.
     */
    default Set<String> stillHeld(Connection conn, String ownerId, Collection<String> eventIds) {
        return Set.of();
    }

    /** Ends the owner's holds on events that are not finished, so that anybody can take them at once. Returns how many were ended. */
    int release(Connection conn, String ownerId, List<Held> events);

    /** Marks events DONE and ends their leases. Returns the ids of those that the owner did not hold any more, which are unchanged. */
    Set<String> markDone(Connection conn, String ownerId, List<Held> events);

    /** Deletes delivered events. Returns the ids of those that the owner did not hold any more, which are unchanged. */
    Set<String> delete(Connection conn, String ownerId, List<Held> events);

    /** Marks events RETRY and ends their leases. Returns the ids of those that the owner did not hold any more. */
    Set<String> markRetry(Connection conn, String ownerId, List<HeldRetry> retries);

    /**
     * Marks events DEAD and ends their leases; one that holds its key gets {@link OrderedStore#KEY_HELD} as its owner. Returns the ids of those
     * that the owner did not hold any more.
     */
    Set<String> markDead(Connection conn, String ownerId, List<HeldDead> dead);

    /** Shows in the register of nodes that the owner is alive. By default there is no register. */
    default void heartbeat(Connection conn, String ownerId) {}

    /** Takes an owner out of the register of nodes. */
    default void forgetNode(Connection conn, String ownerId) {}

    /** The nodes in the register, those that were heard of last first. By default none. */
    default List<OutboxNode> nodes(Connection conn) {
        return List.of();
    }
}
