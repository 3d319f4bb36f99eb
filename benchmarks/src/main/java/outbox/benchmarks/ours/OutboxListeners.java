package outbox.benchmarks.ours;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import outbox.Delivery;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.Listener;
import outbox.Outcome;
import outbox.benchmarks.candidate.BenchEvent;
import outbox.benchmarks.candidate.Deliveries;
import outbox.benchmarks.candidate.Listening;
import outbox.benchmarks.candidate.Purpose;
import outbox.benchmarks.candidate.RemoteReceiver;
import outbox.registry.DefaultListenerRegistry;

/** Who listens to our events. To be closed before what delivers: a listener that hangs is let go then. */
final class OutboxListeners implements AutoCloseable {

    /** How many events a batch has at most. */
    static final int BATCH = 500;

    static final String EVENT_TYPE = "OrderPlaced";
    static final String HANGING_TYPE = "OrderHangs";

    /** More than there are workers. */
    private static final int HANGING_EVENTS = 50;

    private static final Duration LINGER = Duration.ofMillis(5);

    private final Listening listening;
    private final Deliveries deliveries;
    private final @Nullable RemoteReceiver receiver;
    private final CountDownLatch end = new CountDownLatch(1);

    OutboxListeners(Listening listening, Purpose purpose, Deliveries deliveries) {
        this.listening = listening;
        this.deliveries = deliveries;
        this.receiver = purpose == Purpose.DRAIN_TO_REMOTE ? new RemoteReceiver(deliveries) : null;
    }

    DefaultListenerRegistry registry() {
        DefaultListenerRegistry registry = new DefaultListenerRegistry().register(EVENT_TYPE, listener());
        return hangs() ? registry.register(HANGING_TYPE, event -> end.await()) : registry;
    }

    private EventListener listener() {
        RemoteReceiver remote = receiver;
        if (remote != null) {
            return Listener.async((event, delivery) ->
                            remote.send(event.payloadJson()).thenApply(nothing -> Outcome.done()))
                    .concurrency(RemoteReceiver.MOST_IN_FLIGHT);
        }
        return listening == Listening.IN_BATCHES
                ? Listener.batch(BATCH, LINGER, this::arrived)
                : event -> deliveries.arrived(event.payloadJson());
    }

    private List<Outcome> arrived(List<Delivery> batch) {
        batch.forEach(delivery -> deliveries.arrived(delivery.event().payloadJson()));
        return Outcome.allDone(batch);
    }

    /** Whether one of them never returns. */
    boolean hangs() {
        return listening == Listening.BESIDE_ONE_THAT_HANGS;
    }

    /** The events whose listener never returns; none if all return. */
    List<EventEnvelope> hangingEvents() {
        return IntStream.range(0, hangs() ? HANGING_EVENTS : 0)
                .mapToObj(number -> EventEnvelope.ofJson(HANGING_TYPE, new BenchEvent(number).payload()))
                .toList();
    }

    @Override
    public void close() {
        end.countDown();
        if (receiver != null) {
            receiver.close();
        }
    }
}
