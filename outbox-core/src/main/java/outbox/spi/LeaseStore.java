package outbox.spi;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.WriteReceipt;
import outbox.model.EventRoute;
import outbox.model.NodeMode;
import outbox.model.OutboxEvent;
import outbox.model.OutboxNode;

/**
 * What a store does for several processes that share its table. An event belongs to one owner at a time, for as long as the owner
 * renews its lease.
 *
 * <p>Time is the database's: whether a lease has expired and whether an event is due never depends on the clock of the process that
 * asks. Every change names the owner, and changes nothing if the row does not belong to it any more. The name of an owner is never used twice,
 * not even by the same process after a restart.
 *
 * <p>An event that is taken over from an owner whose lease has expired is a <em>suspect</em>: its delivery may have ended that process. Taking
 * over counts nothing. Before a suspect is delivered, {@link #writeDown} says so in its row; if the process ends during that delivery, the next
 * owner knows.
 *
 * <p>As in {@link OutboxStore}, connections belong to the caller, and a store commits only a transaction that it began itself.
 */
public interface LeaseStore {

    /** The error of an event that ended DEAD without an error of its own. */
    String USED_UP = "Attempts used up";

    /**
     * Why an event is suspected of ending its process.
     *
     * @param crashes how many deliveries in a row were written down and never heard of again
     * @param waited whether the pause after the last of them is over; see {@link #postpone}
     */
    record Suspicion(int crashes, boolean waited) {}

    /**
     * An event that a claim has taken.
     *
     * @param suspicion null if nothing is held against it
     */
    record Taken(OutboxEvent event, @Nullable Suspicion suspicion) {}

    /**
     * A place in the order in which claims look at events: by the time at which they are due, then by id.
     */
    record Position(Instant availableAt, String eventId) implements Comparable<Position> {

        @Override
        public int compareTo(Position other) {
            int byTime = availableAt.compareTo(other.availableAt);
            return byTime != 0 ? byTime : eventId.compareTo(other.eventId);
        }
    }

    /**
     * What is asked of a claim.
     *
     * @param timeout the age at which a lease that was not renewed has expired
     * @param skipRecent leaves out events created less than this before now
     * @param start where to look
     * @param leftOut kinds of events that the owner cannot deliver and does not want, no more than {@value #MOST_LEFT_OUT}; they must not be
     *     claimed, and with order nothing behind them. A store that ignores it costs more: what it returns all the same is put off
     */
    record ClaimRequest(
            String ownerId, Duration timeout, Duration skipRecent, int limit, Start start, Set<EventRoute> leftOut) {

        /** The most routes that a claim leaves out. */
        public static final int MOST_LEFT_OUT = 64;

        public ClaimRequest {
            leftOut = Set.copyOf(leftOut);
        }

        /** A request that leaves nothing out. */
        public ClaimRequest(String ownerId, Duration timeout, Duration skipRecent, int limit, Start start) {
            this(ownerId, timeout, skipRecent, limit, start, Set.of());
        }
    }

    /**
     * Where a claim looks.
     *
     * @param from where to begin; null for the beginning. What lies before it is left alone this time
     * @param thorough whether to look on for a while if little is found that can be taken
     */
    record Start(@Nullable Position from, boolean thorough) {

        /** At everything that is due. */
        public static final Start BEGINNING = new Start(null, true);
    }

    /**
     * What a claim has taken.
     *
     * @param next where the next claim may begin to look, so that it does not read again what lies before; null if the claim does not know
     */
    record Found(List<Taken> events, @Nullable Position next) {}

    /**
     * A suspect whose delivery is about to begin.
     *
     * @param attempts how many deliveries had been begun before
     * @param crashes how many of them were written down and never heard of again
     */
    record Begun(String eventId, int attempts, int crashes) {}

    /**
     * A failed delivery that is to be repeated.
     *
     * @param attempts how many deliveries were begun, this one included if it is to be counted
     * @param delay from now, by the database's clock
     */
    record HeldRetry(String eventId, int attempts, Duration delay, String error) {}

    /**
     * A suspect that is to be delivered later.
     *
     * @param delay from now, by the database's clock
     */
    record Postponed(String eventId, int crashes, Duration delay) {}

    /**
     * A failed delivery that is not to be repeated.
     *
     * @param error null keeps the row's error, or stores {@link #USED_UP} if it has none
     * @param holdsKey whether later events of its key must keep waiting for it; see {@link OrderedStore}
     */
    record HeldDead(String eventId, @Nullable String error, boolean holdsKey) {

        /** A failed delivery that holds no key. */
        public HeldDead(String eventId, @Nullable String error) {
            this(eventId, error, false);
        }
    }

    /** Inserts the events as NEW and leased to the owner, in the connection's current transaction. */
    void insertLeased(Connection conn, List<EventEnvelope> events, String ownerId);

    /**
     * As {@link OutboxStore#insertOnce}, and leases some of the inserted events to the owner.
     *
     * @param leased the ids of the events to lease; none of them is {@linkplain EventEnvelope#isDelayed() delayed}
     * @throws UnsupportedOperationException if the store does not support it; the default
     */
    default List<WriteReceipt> insertOnce(
            Connection conn, List<EventEnvelope> events, DuplicatePolicy policy, String ownerId, Set<String> leased) {
        throw new UnsupportedOperationException(getClass().getName() + " does not override insertOnce");
    }

    /**
     * Leases due events that nobody holds, those that are due longest first. One whose lease had expired under another owner is a suspect, and stays one until an
     * outcome of it is marked. What the owner itself had let expire is no suspect: it is still there.
     *
     * <p>In autocommit mode the claim is committed on return; otherwise it is part of the caller's transaction.
     *
     * @param timeout the age at which a lease that was not renewed has expired
     * @param skipRecent leaves out events created less than this before now
     */
    List<Taken> claim(Connection conn, String ownerId, Duration timeout, Duration skipRecent, int limit);

    /**
     * As {@link #claim(Connection, String, Duration, Duration, int)}, and says where to go on. By default a claim always looks from the
     * beginning.
     */
    default Found claim(Connection conn, ClaimRequest request) {
        return new Found(claim(conn, request.ownerId, request.timeout, request.skipRecent, request.limit), null);
    }

    /**
     * Renews the leases of the given events that the owner still holds, and returns the ids of those. May skip events whose rows somebody
     * has locked instead of waiting for them; {@link #stillHeld} tells which of the others were not lost.
     */
    Set<String> renew(Connection conn, String ownerId, Collection<String> eventIds);

    /**
     * Returns the ids of the events that the owner still holds although {@link #renew} skipped them. Empty, the default, for a store that
     * skips none.
     */
    default Set<String> stillHeld(Connection conn, String ownerId, Collection<String> eventIds) {
        return Set.of();
    }

    /**
     * Returns the ids of the pending events that the owner holds and whose insert is committed. Waits for no open transaction. By default those
     * that can be renewed.
     */
    default Set<String> held(Connection conn, String ownerId, Collection<String> eventIds) {
        return renew(conn, ownerId, eventIds);
    }

    /**
     * When the leases of those of the events were last taken or renewed that the owner still holds, in microseconds of the database's clock. A
     * later owner's time is a later one. By default unknown.
     */
    default Map<String, Long> leasedAt(Connection conn, String ownerId, Collection<String> eventIds) {
        return Map.of();
    }

    /**
     * Releases the owner's leases on pending events, so that any process can claim them at once. A suspect stays one. Returns how many were
     * released.
     */
    int release(Connection conn, String ownerId, Collection<String> eventIds);

    /**
     * Writes down that the delivery of a suspect is about to begin: one attempt more, and one crash more unless an outcome follows. May be
     * repeated if its answer was lost.
     *
     * @return whether the owner still holds the event
     */
    boolean writeDown(Connection conn, String ownerId, Begun suspect);

    /** Releases a suspect whose delivery was written down and did not begin, or was cut short by the owner; counts nothing for it. */
    int takeBack(Connection conn, String ownerId, Begun suspect);

    /**
     * Ends the leases of suspects that are not due before a delay has passed; they stay suspects. Returns the ids of those that the owner no
     * longer held.
     */
    Set<String> postpone(Connection conn, String ownerId, List<Postponed> suspects);

    /** Marks events DONE and ends their leases. Returns the ids of those that the owner no longer held, which are unchanged. */
    Set<String> markDone(Connection conn, String ownerId, List<String> eventIds);

    /** Deletes delivered events. Returns the ids of those that the owner no longer held, which are unchanged. */
    Set<String> delete(Connection conn, String ownerId, List<String> eventIds);

    /** Marks events RETRY with the given number of attempts and ends their leases. Returns the ids of those that the owner no longer held. */
    Set<String> markRetry(Connection conn, String ownerId, List<HeldRetry> retries);

    /**
     * Marks events DEAD and ends their leases; one that holds its key gets {@link OrderedStore#KEY_HELD} as its owner. Returns the ids of
     * those that the owner no longer held.
     */
    Set<String> markDead(Connection conn, String ownerId, List<HeldDead> dead);

    /** Writes the owner's heartbeat to the table of nodes, see {@link #heartbeat(Connection, String, NodeMode)}. By default nothing is written. */
    default void heartbeat(Connection conn, String ownerId) {}

    /**
     * Writes the owner's heartbeat to the table of nodes, and the first time how it delivers, if the table has a column for that. By default the
     * heartbeat alone.
     *
     * @throws MissingNodeTableException if there is no table of nodes
     */
    default void heartbeat(Connection conn, String ownerId, NodeMode mode) {
        heartbeat(conn, ownerId);
    }

    /** Removes an owner from the table of nodes. */
    default void forgetNode(Connection conn, String ownerId) {}

    /**
     * The nodes in the table of nodes, latest heartbeat first. By default none.
     *
     * @throws MissingNodeTableException if there is no table of nodes
     */
    default List<OutboxNode> nodes(Connection conn) {
        return List.of();
    }

    /**
     * The nodes beside the owner that were heard of a short while ago, by the database's clock. What they hold is not counted: it is 0. By default
     * none.
     *
     * @param silentFor at most so long ago
     * @throws MissingNodeTableException if there is no table of nodes
     */
    default List<OutboxNode> neighbours(Connection conn, String ownerId, Duration silentFor) {
        return List.of();
    }

    /**
     * How many nodes have shown themselves within the given time, by the database's clock; empty if nobody can know. By default counts
     * {@link #nodes}, which may cost more, and knows nothing if there are none.
     */
    default OptionalInt livingNodes(Connection conn, Duration silence) {
        List<OutboxNode> nodes = nodes(conn);
        return nodes.isEmpty()
                ? OptionalInt.empty()
                : OptionalInt.of((int) nodes.stream()
                        .filter(node -> node.silentSeconds() < silence.toSeconds())
                        .count());
    }
}
