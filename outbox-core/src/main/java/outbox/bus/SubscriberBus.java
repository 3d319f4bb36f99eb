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
     * Calls all subscribers of the event's type. Whatever they throw is collected, {@link Error}s too, with two exceptions. When a
     * subscriber was interrupted, somebody wants this thread to end, so the remaining ones are not called; the thread's interrupt flag is
     * set. A {@link VirtualMachineError} other than a {@link StackOverflowError} is thrown at once: the process is in no state to go on.
     *
     * @throws NoSubscriberException if there is none
     * @throws SubscribersFailedException if at least one has failed
     */
    public void publish(EventEnvelope event) {
        List<Entry> subscribers = entries.getOrDefault(event.eventType(), List.of());
        if (subscribers.isEmpty()) {
            throw new NoSubscriberException(event.eventType());
        }
        List<Throwable> failures = new ArrayList<>();
        int called = 0;
        boolean interrupted = false;
        while (called < subscribers.size() && !interrupted) {
            interrupted = call(subscribers.get(called++), event, failures);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (!failures.isEmpty()) {
            throw new SubscribersFailedException(event, failures, subscribers.size(), subscribers.size() - called);
        }
    }

    /** Returns whether the subscriber was interrupted. */
    private static boolean call(Entry entry, EventEnvelope event, List<Throwable> failures) {
        try {
            entry.subscriber.onEvent(event);
            return false;
        } catch (Throwable failure) {
            if (failure instanceof VirtualMachineError error && !(failure instanceof StackOverflowError)) {
                failures.forEach(error::addSuppressed);
                throw error;
            }
            failures.add(failure);
            return failure instanceof InterruptedException;
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
