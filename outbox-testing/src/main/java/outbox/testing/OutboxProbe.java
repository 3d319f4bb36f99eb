package outbox.testing;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.OutboxException;
import outbox.internal.transaction.ShortTransaction;
import outbox.registry.ListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.spi.OutboxStore;

/**
 * Lets a test decide when events are delivered, or wait until they are. Thread-safe.
 *
 * <p>{@link #dispatchNow} is for an outbox that only writes ({@link outbox.OutboxBuilder#writerOnly}), {@link #awaitIdle} for one that delivers.
 */
public final class OutboxProbe {

    /** How long {@link #awaitIdle()} waits. */
    public static final Duration DEFAULT_PATIENCE = Duration.ofSeconds(10);

    private static final int MOST = 10_000;
    private static final long LOOK_MILLIS = 5;

    private final RecordedEvents events;
    private final ListenerRegistry listeners;
    private final PlannedFailures failures;
    private final OutboxStore store;
    private final ConnectionProvider connections;
    private final Set<String> dispatched = ConcurrentHashMap.newKeySet();

    /**
     * A probe of one outbox.
     *
     * @param events what it records
     * @param listeners who listens to it
     * @param failures what is to fail
     * @param store its table
     * @param connections where it asks the table
     */
    public OutboxProbe(
            RecordedEvents events,
            ListenerRegistry listeners,
            PlannedFailures failures,
            OutboxStore store,
            ConnectionProvider connections) {
        this.events = Objects.requireNonNull(events, "events");
        this.listeners = Objects.requireNonNull(listeners, "listeners");
        this.failures = Objects.requireNonNull(failures, "failures");
        this.store = Objects.requireNonNull(store, "store");
        this.connections = Objects.requireNonNull(connections, "connections");
    }

    /**
     * Calls, in this thread, the listeners of all recorded events that it has not called yet, also of those that are not committed. What a listener
     * writes is dispatched as well. The table does not change.
     *
     * @return how many events were handed to a listener
     * @throws Exception what a listener has thrown; its event counts as not dispatched, and those behind it wait
     */
    public int dispatchNow() throws Exception {
        int count = 0;
        for (EventEnvelope event = next(); event != null; event = next()) {
            EventListener listener = listeners.listenerFor(event.aggregateType(), event.eventType());
            if (listener != null) {
                failures.beforeDispatch(event);
                listener.onEvent(event);
                count++;
            }
            dispatched.add(event.eventId());
        }
        return count;
    }

    private @Nullable EventEnvelope next() {
        return events.all().stream()
                .filter(event -> !dispatched.contains(event.eventId()))
                .findFirst()
                .orElse(null);
    }

    /** The next delivery of an event of that type fails so. */
    public void failNext(String eventType, Exception failure) {
        failures.failNext(eventType, failure);
    }

    /** As {@link #failNext(String, Exception)}, for events whose payload is of that class. */
    public void failNext(Class<?> payload, Exception failure) {
        failures.failNext(events.eventTypeOf(payload), failure);
    }

    /** As {@link #awaitIdle(Duration)}, for {@link #DEFAULT_PATIENCE}. */
    public void awaitIdle() {
        awaitIdle(DEFAULT_PATIENCE);
    }

    /**
     * Waits until nothing is due and nothing is being delivered: every committed event is DONE, DEAD, or waits for a later time.
     *
     * @throws AssertionError if that takes longer
     */
    public void awaitIdle(Duration patience) {
        long end = System.nanoTime() + patience.toNanos();
        while (!isIdle()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("the outbox was not idle within " + patience + "; written: " + events.all());
            }
            pause();
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for the outbox", e);
        }
    }

    private boolean isIdle() {
        try {
            return ShortTransaction.run(connections, this::isIdle);
        } catch (SQLException e) {
            throw new OutboxException("Cannot ask whether the outbox is idle", e);
        }
    }

    private boolean isIdle(Connection conn) {
        return store.overview(conn, MOST, MOST).oldestDue() == null
                && store.countBacklog(conn, MOST).locked() == 0;
    }

    /** Forgets what was recorded, planned and dispatched: for the next test. */
    public void reset() {
        events.clear();
        failures.clear();
        dispatched.clear();
    }
}
