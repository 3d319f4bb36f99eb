package outbox.poller;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import outbox.model.EventRoute;
import outbox.model.NodeMode;
import outbox.model.OutboxEvent;
import outbox.spi.LeaseStore.Suspicion;
import outbox.spi.MetricsExporter;
import outbox.spi.OrderedStore.AggregateKey;

/**
 * What a poller and the dispatcher behind its handler tell each other, apart from the events themselves: who holds leases, when there is room,
 * when to poll. Made and used by this library, and subject to change at any time; a handler of your own that wraps another one passes it on
 * as it is. Called by one thread at a time, but for {@link #canWork}.
 */
public interface PollLink {

    /** The link of a handler that has nothing to tell: the poller keeps to its interval and claims under its own name. */
    PollLink NONE = new PollLink() {};

    /** How this process stands to an event that was found. */
    enum Reception {
        /** It can be handed over. */
        TAKEN,
        /** Nobody here listens to it. It is given back, and later polls leave its kind out. */
        LEFT_OUT,
        /** As {@link #LEFT_OUT}, but polls cannot leave its kind out, because there are too many or because the store does not do that. */
        PUT_OFF
    }

    /** Whether events of one aggregate must come one after another, in the order of their inserts. */
    default boolean isOrdered() {
        return false;
    }

    /**
     * Said before each event that was leased is handed over.
     *
     * @param ahead the ids of unfinished events of the same aggregate that were handed over before, and after whose end the event may be
     *     delivered; empty without order
     * @param suspicion null if nothing is held against it
     */
    default void nextIsLeased(Collection<String> ahead, @Nullable Suspicion suspicion) {}

    /** Said when everything was handed over: of these keys more events wait in the table, of which enough are here for now. */
    default void leftInTable(Collection<AggregateKey> keys) {}

    /** Those of these keys of which only few are left here. Each is named once. */
    default Collection<AggregateKey> keysToContinue() {
        return List.of();
    }

    /** Asked before the table is read: the kinds of events that nobody here listens to. */
    default Set<EventRoute> leftOut() {
        return Set.of();
    }

    /** Asked after {@link #leftOut}: whether a kind goes on that was left out for a while, so that what is due may lie before what was claimed. */
    default boolean someGoOn() {
        return false;
    }

    /** Asked before each event is handed over. */
    default Reception receptionOf(OutboxEvent event) {
        return Reception.TAKEN;
    }

    /** Whether later events of its aggregate must wait for a person once this event, which cannot be read, is DEAD. */
    default boolean holdsKeyWhenDead(OutboxEvent event) {
        return false;
    }

    /** Said when the poller starts: checks what its handler needs of the table, and throws an exception that names what is missing. */
    default void checkSchema(Connection conn) {}

    /** Whether somebody is told of the end of such events, so that their marks need a transaction. */
    default boolean tellsOfDead(OutboxEvent event) {
        return false;
    }

    /** Said in the transaction in which an event was marked DEAD that cannot be read, if {@link #tellsOfDead}. */
    default void markedDead(Connection conn, OutboxEvent event, String error, boolean holdsKey) {}

    /**
     * Said once, with the exporter that the poller was given.
     *
     * @return whether what is queued is counted there by the handler itself, which knows best; otherwise the poller counts each event that
     *     the handler takes
     */
    default boolean countsEnqueued(MetricsExporter metrics) {
        return false;
    }

    /** When the oldest event was created that is held here: a claim does not find it. Null if there is none, or without leases. */
    default @Nullable Instant oldestHeld() {
        return null;
    }

    /** Said before the table is read. */
    default void pollStarting() {}

    /** Said when everything that was read has been handed over or given back, also after a failure. */
    default void pollFinished() {}

    /** Said when a poll has run out of memory: rows are larger than they were. */
    default void rowsDidNotFit() {}

    /**
     * Said once, by a poller with claim locking.
     *
     * @param ownerId under which the poller means to claim events
     * @param timeout after which a lease that is not renewed has expired
     * @return the id under which the poller must claim: there may be one already. With leases it is never used again
     */
    default String claimsAs(String ownerId, Duration timeout) {
        return ownerId;
    }

    /**
     * Whether events that are handed over now can be delivered before long. While this is false, a process of which only one is active at a time
     * leaves that to another one. Called by any thread.
     */
    default boolean canWork() {
        return true;
    }

    /**
     * Said when the poller has begun: how this process delivers, for the others that do.
     *
     * @param name under which it is shown if it leases nothing; else it is shown as the owner of its leases
     */
    default void deliversAs(NodeMode mode, String name) {}

    /** Said once, by a poller of which only one is active at a time: events must be delivered only while this is true. */
    default void deliverOnlyWhile(BooleanSupplier active) {}

    /** Said once, with a way to ask for a poll before the interval has passed. */
    default void connect(PollTrigger trigger) {}

    /** Asks for a poll when there is room for that many events, or fewer if there never can be; at once if there is now. */
    default void pollWhenRoomFor(int events) {}

    /** Asks for a poll when the events that were read without locks have ended: until then the table would yield the same ones again. */
    default void pollWhenEnded() {}
}
