package outbox.spi;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.WriteReceipt;
import outbox.model.EventRoute;
import outbox.model.OutboxEvent;

/**
 * Reads and writes the outbox table on connections that the caller owns: a store never closes one, and commits only a
 * transaction that it began itself.
 *
 * <p>DONE and DEAD are terminal: every {@code mark} on such a row changes nothing and returns 0.
 */
public interface OutboxStore {

    /** Inserts the event as NEW in the connection's current transaction. */
    void insertNew(Connection conn, EventEnvelope event);

    /** Inserts the events as NEW, in order. By default one by one. */
    default void insertBatch(Connection conn, List<EventEnvelope> events) {
        for (EventEnvelope event : events) {
            insertNew(conn, event);
        }
    }

    /**
     * Inserts as NEW, in order, those events whose ids are not in the table yet, and returns a receipt for each event, in order. The
     * statement never fails because of an existing id, which would end the transaction on some databases. If another transaction has
     * inserted the same id and is still open, the call waits for it to end. If an id is given twice, the second one counts as already there.
     *
     * @throws outbox.DuplicateEventException if an id exists already or is given twice, and the policy is {@link DuplicatePolicy#FAIL};
     *     then nothing was inserted and the transaction can go on
     * @throws UnsupportedOperationException if the store does not support it; the default
     */
    default List<WriteReceipt> insertOnce(Connection conn, List<EventEnvelope> events, DuplicatePolicy policy) {
        throw new UnsupportedOperationException(getClass().getName() + " does not override insertOnce");
    }

    /**
     * Whether inserts respect {@link EventEnvelope#availableAt()} and {@link EventEnvelope#deliverAfter()}, the latter by the same clock
     * that decides what is due; by default not.
     */
    default boolean canDelay() {
        return false;
    }

    /**
     * Whether inserts keep payloads that are {@linkplain EventEnvelope#isBinary() bytes}, and whatever reads events gives them back as {@link
     * OutboxEvent#bytesPayload()}; by default not, and such events are refused before they are inserted.
     */
    default boolean canKeepBytes() {
        return false;
    }

    /**
     * Returns the ids of those of the events that are in the table, whatever has become of them, as far as their inserts are committed. Waits for no
     * open transaction.
     *
     * @throws UnsupportedOperationException if the store does not support it; the default
     */
    default Set<String> present(Connection conn, Collection<String> eventIds) {
        throw new UnsupportedOperationException(getClass().getName() + " does not override present");
    }

    /** Marks the event DONE and frees its lock. Returns the number of rows changed, 0 if it was terminal or is not there. */
    int markDone(Connection conn, String eventId);

    /** Marks the event RETRY, counts the attempt and frees its lock. Returns the number of rows changed. */
    int markRetry(Connection conn, String eventId, Instant nextAt, String error);

    /** Marks the event DEAD and frees its lock. Returns the number of rows changed. */
    int markDead(Connection conn, String eventId, String error);

    /** A failed delivery that is to be repeated. */
    record Retry(String eventId, Instant nextAt, String error) {}

    /** A failed delivery that is not to be repeated. */
    record Dead(String eventId, String error) {}

    /**
     * {@linkplain #markDone Marks} several events DONE. By default one by one; a store does better with one statement.
     *
     * @return how many rows were changed
     */
    default int markDoneAll(Connection conn, List<String> eventIds) {
        int changed = 0;
        for (String eventId : eventIds) {
            changed += markDone(conn, eventId);
        }
        return changed;
    }

    /**
     * {@linkplain #markRetry Marks} several events RETRY. By default one by one; a store does better with one statement.
     *
     * @return how many rows were changed
     */
    default int markRetryAll(Connection conn, List<Retry> retries) {
        int changed = 0;
        for (Retry retry : retries) {
            changed += markRetry(conn, retry.eventId(), retry.nextAt(), retry.error());
        }
        return changed;
    }

    /** The numbers that the database gave these events at their insert, as far as they are there and it gave any. By default none is known. */
    default Map<String, OptionalLong> sequences(Connection conn, Collection<String> eventIds) {
        return Map.of();
    }

    /**
     * As {@link #markRetryAll}, without counting attempts. By default they are counted all the same: a store that can do better overrides this.
     *
     * @return how many rows were changed
     */
    default int putOffAll(Connection conn, List<Retry> events) {
        return markRetryAll(conn, events);
    }

    /**
     * {@linkplain #markDead Marks} several events DEAD. By default one by one; a store does better with one statement.
     *
     * @return how many rows were changed
     */
    default int markDeadAll(Connection conn, List<Dead> dead) {
        int changed = 0;
        for (Dead event : dead) {
            changed += markDead(conn, event.eventId(), event.error());
        }
        return changed;
    }

    /**
     * This store with marks that fail after the given time, most likely because somebody else has locked a row; also those of its
     * {@link #leases()}. The cause of the failure is the {@link java.sql.SQLException} of the timeout. By default this store itself, which
     * is right for a database that never waits for long.
     */
    default OutboxStore withMarkTimeout(Duration timeout) {
        return this;
    }

    /**
     * This store with DONE marks that also clear the error of an earlier delivery; also those of its {@link #leases()}.
     *
     * @throws UnsupportedOperationException if the store does not support it; the default
     */
    default OutboxStore clearingErrors() {
        throw new UnsupportedOperationException(getClass().getName() + " does not override clearingErrors");
    }

    /**
     * Whether {@link #lockOrSkip} works on this connection; by default not. Then a group with locked rows is marked in smaller and smaller
     * parts.
     */
    default boolean canSkipLocked(Connection conn) {
        return false;
    }

    /**
     * Locks those events that nobody else has locked, until the end of the connection's transaction. Never waits for a lock.
     *
     * @return the ids of events that somebody else has locked; not those of events that are not there
     * @throws UnsupportedOperationException if the store does not support it; the default
     */
    default Set<String> lockOrSkip(Connection conn, Collection<String> eventIds) {
        throw new UnsupportedOperationException(getClass().getName() + " does not override lockOrSkip");
    }

    /** Whether {@link #deleteAll} works; by default not. */
    default boolean canDelete() {
        return false;
    }

    /**
     * Deletes events that were delivered, unless they are DONE or DEAD already.
     *
     * @return how many rows were deleted
     * @throws UnsupportedOperationException if the store does not support it; the default
     */
    default int deleteAll(Connection conn, List<String> eventIds) {
        throw new UnsupportedOperationException(getClass().getName() + " does not override deleteAll");
    }

    /**
     * Finds events that are due, oldest first (by creation time, then id), without locking them.
     *
     * @param skipRecent leaves out events created less than this before {@code now}
     */
    List<OutboxEvent> pollPending(Connection conn, Instant now, Duration skipRecent, int limit);

    /**
     * As {@link #pollPending(Connection, Instant, Duration, int)}, without kinds of events that the caller cannot deliver. By default they are
     * found all the same, and take the places of others.
     *
     * @param leftOut no more than {@value LeaseStore.ClaimRequest#MOST_LEFT_OUT}
     */
    default List<OutboxEvent> pollPending(
            Connection conn, Instant now, Duration skipRecent, int limit, Set<EventRoute> leftOut) {
        return pollPending(conn, now, skipRecent, limit);
    }

    /**
     * Finds events that are due and locks them for the owner in one transaction, so that no two owners get the same one.
     * If the connection is in autocommit mode the claim is committed on return; otherwise it is part of the caller's
     * transaction. By default falls back to {@link #pollPending}, which locks nothing.
     *
     * @param lockExpiry locks taken before this time have expired and may be taken over
     */
    default List<OutboxEvent> claimPending(
            Connection conn, String ownerId, Instant now, Instant lockExpiry, Duration skipRecent, int limit) {
        return pollPending(conn, now, skipRecent, limit);
    }

    /**
     * Gives back events that the owner claimed but will not deliver, so that they need not wait for their lock to expire.
     * Events that meanwhile ended or belong to another owner are left alone. By default does nothing, which is right for
     * a store whose {@link #claimPending} locks nothing.
     *
     * @return how many locks were freed
     */
    default int releaseClaims(Connection conn, String ownerId, Collection<String> eventIds) {
        return 0;
    }

    /**
     * What this store does for several processes that share its table; null, the default, if only {@link #claimPending}. With it, leases
     * go by the database's clock and are renewed, and marks are fenced.
     */
    default @Nullable LeaseStore leases() {
        return null;
    }

    /**
     * What this store does for ordered delivery; null, the default, if nothing. A store that has it has {@link #leases()} too.
     */
    default @Nullable OrderedStore ordered() {
        return null;
    }

    /**
     * What this store knows of what is paused for all processes; null, the default, if nothing can be.
     */
    default @Nullable PauseStore pauses() {
        return null;
    }

    /**
     * What this store does for types of which only the newest event of a key matters; null, the default, if nothing. A store that has it has {@link
     * #leases()} too.
     */
    default @Nullable CompactionStore compaction() {
        return null;
    }

    /** Finds an event, whatever has become of it. By default nothing is found. */
    default Optional<OutboxEvent> event(Connection conn, String eventId) {
        return Optional.empty();
    }

    /**
     * Finds DEAD events, oldest first. Null filters match everything.
     *
     * @throws UnsupportedOperationException if the store does not support it; the default
     */
    default List<OutboxEvent> queryDead(
            Connection conn, @Nullable String eventType, @Nullable String aggregateType, int limit) {
        throw new UnsupportedOperationException(getClass().getName() + " does not override queryDead");
    }

    /**
     * Turns one DEAD event into a NEW one: no attempts, no error, no lock, available now.
     *
     * @return 1, or 0 if there is no such event or it is not DEAD
     * @throws UnsupportedOperationException if the store does not support it; the default
     */
    default int replayDead(Connection conn, String eventId) {
        throw new UnsupportedOperationException(getClass().getName() + " does not override replayDead");
    }

    /**
     * Counts DEAD events, of one type or (null) of all.
     *
     * @throws UnsupportedOperationException if the store does not support it; the default
     */
    default int countDead(Connection conn, @Nullable String eventType) {
        throw new UnsupportedOperationException(getClass().getName() + " does not override countDead");
    }

    /**
     * How many DEAD events there are. Counting stops at the limit, with those that ended last first.
     *
     * @param dead events that are DEAD
     * @param holdingKeys those of them that hold their keys; see {@link OrderedStore}
     */
    record DeadCount(int dead, int holdingKeys) {}

    /**
     * Counts DEAD events, and those of them that hold their keys, in one statement that an index serves.
     *
     * @param limit where to stop counting
     * @throws UnsupportedOperationException if the store does not support it; the default
     */
    default DeadCount countDeadUpTo(Connection conn, int limit) {
        throw new UnsupportedOperationException(getClass().getName() + " does not override countDeadUpTo");
    }

    /**
     * How much waits in the table. Counting stops at the limit, so that a large backlog does not take longer to count.
     *
     * @param pending events that are NEW or RETRY
     * @param locked those of them that are leased, including those with expired leases that nobody has taken over yet
     */
    record Backlog(int pending, int locked) {}

    /**
     * Counts how much waits in the table.
     *
     * @param limit where to stop counting
     * @throws UnsupportedOperationException if the store does not support it; the default
     */
    default Backlog countBacklog(Connection conn, int limit) {
        throw new UnsupportedOperationException(getClass().getName() + " does not override countBacklog");
    }

    /**
     * Tells at a glance how much waits and for how long, in one statement that indexes serve (a few more if DEAD events hold their keys).
     *
     * @param deadLimit where to stop counting DEAD events
     * @param pendingLimit where to stop counting pending events; 0 to count none
     * @throws UnsupportedOperationException if the store does not support it; the default
     */
    default TableOverview overview(Connection conn, int deadLimit, int pendingLimit) {
        throw new UnsupportedOperationException(getClass().getName() + " does not override overview");
    }

    /** The name of the table, for logs and metrics; null, the default, if there is none. */
    default @Nullable String tableName() {
        return null;
    }

    /**
     * Checks that what the store needs is there, and throws an exception that names what is missing and how to get it.
     * Called when a poller starts. By default checks nothing.
     */
    default void checkSchema(Connection conn) {}

    /**
     * Creates the table and what belongs to it, unless it is there.
     *
     * @param ordered whether events are to be delivered in order
     * @throws UnsupportedOperationException if the store does not know how; the default
     */
    default void createTable(Connection conn, boolean ordered) {
        throw new UnsupportedOperationException(getClass().getName() + " does not override createTable");
    }

    /** What tries, before an outbox starts, whether it will be able to work; null, the default, if nothing does. */
    default @Nullable Preflight preflight() {
        return null;
    }
}
