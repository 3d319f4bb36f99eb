package outbox.bus;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.EventType;

/**
 * Calls all subscribers of an event in this process, one after another in the calling thread, and reports to the caller which of them failed.
 *
 * <p>It is a listener itself, so that an event of the outbox, which has exactly one listener, can have many subscribers:
 *
 * <pre>{@code
 * SubscriberBus bus = new SubscriberBus();
 * bus.subscribe("OrderPlaced", stock::reserve);
 * bus.subscribe("OrderPlaced", mail::confirm);
 * listeners.register("OrderPlaced", bus);
 * }</pre>
 *
 * <p>Every subscriber is called, whether or not others fail. If one fails, the event as a whole has failed and is delivered to all of them
 * again: each must tolerate an event that it has already handled.
 *
 * <p>Thread-safe. Subscribers may come and go at any time, even while an event is being published: one that joins does not get that event,
 * one that leaves still may.
 */
public final class SubscriberBus implements EventListener {

    private final Map<String, List<Entry>> entries = new ConcurrentHashMap<>();

    /** Creates a bus without subscribers. */
    public SubscriberBus() {}

    /** A subscriber's registration on the bus. */
    public interface Subscription extends AutoCloseable {

        /** Takes the subscriber off the bus. Closing twice is harmless. */
        @Override
        void close();
    }

    /**
     * Adds a subscriber after the existing ones. One that is added twice is called twice.
     *
     * @param subscriber called with each event; it reports a failure by throwing
     */
    public Subscription subscribe(String eventType, EventListener subscriber) {
        Entry entry = new Entry(
                Objects.requireNonNull(eventType, "eventType"), Objects.requireNonNull(subscriber, "subscriber"));
        entries.merge(eventType, List.of(entry), SubscriberBus::joined);
        return entry;
    }

    /** As {@link #subscribe(String, EventListener)}. */
    public Subscription subscribe(EventType eventType, EventListener subscriber) {
        return subscribe(Objects.requireNonNull(eventType, "eventType").name(), subscriber);
    }

    private static List<Entry> joined(List<Entry> there, List<Entry> added) {
        List<Entry> all = new ArrayList<>(there);
        all.addAll(added);
        return List.copyOf(all);
    }

    /**
     * Calls all subscribers of the event's type. Whatever they throw is collected, {@link Error}s too. When a subscriber was interrupted, the
     * others do not see its interrupt flag, and it is set when all have been called.
     *
     * @throws NoSubscriberException if there is none
     * @throws SubscribersFailedException if at least one has failed
     * @throws VirtualMachineError the first one other than a {@link StackOverflowError} that a subscriber has thrown, after all have been called
     *     and with the other failures suppressed: the process may be in no state to go on
     */
    public void publish(EventEnvelope event) {
        List<Entry> subscribers = entries.getOrDefault(event.eventType(), List.of());
        if (subscribers.isEmpty()) {
            throw new NoSubscriberException(event.eventType());
        }
        List<Throwable> failures = callAll(subscribers, event);
        if (!failures.isEmpty()) {
            throwSevere(failures);
            throw new SubscribersFailedException(event, failures, subscribers.size());
        }
    }

    /** Has room for all failures from the beginning: there may be no memory left for it later. */
    private static List<Throwable> callAll(List<Entry> subscribers, EventEnvelope event) {
        List<Throwable> failures = new ArrayList<>(subscribers.size());
        boolean interrupted = false;
        for (Entry entry : subscribers) {
            try {
                entry.subscriber.onEvent(event);
            } catch (Throwable failure) {
                failures.add(failure);
                interrupted |= failure instanceof InterruptedException;
            }
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return failures;
    }

    private static void throwSevere(List<Throwable> failures) {
        for (Throwable failure : failures) {
            if (failure instanceof VirtualMachineError error && !(failure instanceof StackOverflowError)) {
                failures.stream().filter(other -> other != error).forEach(error::addSuppressed);
                throw error;
            }
        }
    }

    /** {@linkplain #publish Publishes} the event, for use as a listener of the outbox. */
    @Override
    public void onEvent(EventEnvelope event) {
        publish(event);
    }

    private final class Entry implements Subscription {

        private final String eventType;
        private final EventListener subscriber;

        Entry(String eventType, EventListener subscriber) {
            this.eventType = eventType;
            this.subscriber = subscriber;
        }

        @Override
        public void close() {
            entries.computeIfPresent(eventType, (type, there) -> {
                List<Entry> rest = there.stream().filter(other -> other != this).toList();
                return rest.isEmpty() ? null : rest;
            });
        }
    }
}
