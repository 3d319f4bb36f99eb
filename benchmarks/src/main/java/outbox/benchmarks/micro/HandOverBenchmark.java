package outbox.benchmarks.micro;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import outbox.EventEnvelope;
import outbox.benchmarks.candidate.BenchEvent;
import outbox.dispatch.OutboxDispatcher;
import outbox.dispatch.QueuedEvent;
import outbox.registry.DefaultListenerRegistry;

/**
 * From the hot queue through a worker to the listener and its outcome, with a store that does nothing. A bound on the events under
 * way keeps the queue from refusing any.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class HandOverBenchmark {

    private static final int UNDER_WAY = 500;

    private final AtomicLong ids = new AtomicLong();
    private final String payload = new BenchEvent(0).payload();
    private final Semaphore room = new Semaphore(UNDER_WAY);
    private @Nullable OutboxDispatcher dispatcher;

    /** Starts a dispatcher with default settings. */
    @Setup(Level.Trial)
    public void start() {
        dispatcher = OutboxDispatcher.builder()
                .connectionProvider(NoConnection::open)
                .outboxStore(new NoStore())
                .listenerRegistry(new DefaultListenerRegistry().register("OrderPlaced", event -> room.release()))
                .build();
    }

    /** Stops it. */
    @TearDown(Level.Trial)
    public void stop() {
        if (dispatcher != null) {
            dispatcher.close();
        }
    }

    /** One producer. */
    @Benchmark
    public boolean oneProducer() throws InterruptedException {
        return handOver();
    }

    /** Four producers. */
    @Benchmark
    @Threads(4)
    public boolean fourProducers() throws InterruptedException {
        return handOver();
    }

    private boolean handOver() throws InterruptedException {
        OutboxDispatcher target = dispatcher;
        if (target == null) {
            throw new IllegalStateException("not started");
        }
        room.acquire();
        EventEnvelope event = EventEnvelope.builder("OrderPlaced")
                .eventId(Long.toString(ids.incrementAndGet()))
                .payloadJson(payload)
                .build();
        boolean taken = target.enqueueHot(new QueuedEvent(event, QueuedEvent.Source.HOT, 0));
        if (!taken) {
            room.release();
        }
        return taken;
    }
}
