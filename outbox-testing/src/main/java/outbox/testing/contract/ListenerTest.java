package outbox.testing.contract;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.Listener;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.model.EventStatus;
import outbox.testing.InMemoryOutboxStore;
import outbox.testing.InMemoryTransactions;
import outbox.testing.StoredEvent;
import outbox.testing.contract.ListenerFixture.Received;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

/** What the parts of the contract of listeners have in common. */
interface ListenerTest {

    String TYPE = "OrderPlaced";

    /** Short, because tests wait for it; long enough for a receiver that is only slow. */
    Duration TIMEOUT = Duration.ofSeconds(2);

    /** Where the listener under test is, and its receiver. */
    ListenerFixture fixture();

    /** An outbox in memory with the listener under test. */
    final class Bench implements AutoCloseable {

        final InMemoryOutboxStore store = new InMemoryOutboxStore();
        final InMemoryTransactions transactions = new InMemoryTransactions();
        private final Listener listener;
        private @Nullable Outbox outbox;

        Bench(Listener listener) {
            this(listener, 3);
        }

        Bench(Listener listener, int maxAttempts) {
            this.listener = listener.timeout(TIMEOUT)
                    .retryPolicy(failures -> 20)
                    .maxAttempts(maxAttempts)
                    .named("under test");
        }

        Outbox start(UnaryOperator<OutboxBuilder> more) {
            Outbox started = more.apply(Outbox.builder(store, transactions, transactions)
                            .listener(TYPE, listener)
                            .claimLocking(Duration.ofSeconds(10))
                            .withoutPurge()
                            .poller(poller -> poller.intervalMs(20)))
                    .build();
            outbox = started;
            started.start();
            return started;
        }

        Outbox outbox() {
            return Objects.requireNonNull(outbox, "start it first");
        }

        void write(List<EventEnvelope> events) {
            transactions.run(() -> outbox().writer().writeAll(events));
        }

        void write(EventEnvelope... events) {
            write(List.of(events));
        }

        StoredEvent row(EventEnvelope event) {
            return Objects.requireNonNull(store.find(event.eventId()), "no row " + event);
        }

        long count(EventStatus status) {
            return store.all().stream().filter(row -> row.status() == status).count();
        }

        void awaitDone(int events) {
            await(events + " events to be DONE", () -> count(EventStatus.DONE) == events);
        }

        /** Ends its outbox; another one may be started on the same table. */
        void stop() {
            if (outbox != null) {
                outbox.close();
            }
        }

        @Override
        public void close() {
            stop();
        }
    }

    /** A bench that was started with the listener under test. */
    default Bench bench() {
        return bench(builder -> builder);
    }

    /** The same with more settings. */
    default Bench bench(UnaryOperator<OutboxBuilder> more) {
        Bench bench = new Bench(fixture().listener());
        bench.start(more);
        return bench;
    }

    /** An event like any other one. */
    static EventEnvelope event(@Nullable String aggregateId) {
        return EventEnvelope.builder(TYPE)
                .aggregateType("Order")
                .aggregateId(aggregateId)
                .payloadJson("{\"n\":1}")
                .build();
    }

    /** So many of them, of no aggregate. */
    static List<EventEnvelope> events(int count) {
        return IntStream.range(0, count).mapToObj(i -> event(null)).toList();
    }

    /** How often the event was accepted. */
    default long arrivals(EventEnvelope event) {
        return received().stream()
                .filter(received -> received.eventId().equals(event.eventId()))
                .count();
    }

    /** What was accepted. */
    default List<Received> received() {
        return fixture().received();
    }

    /** Leaves the test out if the receiver cannot do that. */
    default void orAbort(Runnable whatNotAllCanDo) {
        try {
            whatNotAllCanDo.run();
        } catch (UnsupportedOperationException e) {
            abort("not tested with " + e.getMessage());
        }
    }

    /** Waits until it is so. */
    static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                fail("waited in vain for " + what);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
        }
    }
}
