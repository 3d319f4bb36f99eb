package outbox.inbox;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.bus.NoSubscriberException;
import outbox.internal.text.StoredText;
import outbox.registry.ListenerRegistry;

/**
 * Delivers events to the consumer groups of this process, each through the template: so an application needs no broker between its
 * business transactions and its handlers. Thread-safe.
 */
public final class InProcessEventBus {

    private final EventHandlerTemplate template;
    private final ConsumeOptions options;
    private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();

    /** A bus whose events are {@linkplain ConsumeOptions#retriedBySender() retried by whoever publishes them}. */
    public InProcessEventBus(EventHandlerTemplate template) {
        this(template, ConsumeOptions.retriedBySender());
    }

    /** A bus with options of its own. */
    public InProcessEventBus(EventHandlerTemplate template, ConsumeOptions options) {
        this.template = Objects.requireNonNull(template, "template");
        this.options = Objects.requireNonNull(options, "options");
    }

    /**
     * Registers what a group does with events of a type.
     *
     * @throws IllegalArgumentException if the group already has a handler for that type
     */
    public InProcessEventBus register(String consumerGroup, String eventType, EventHandler handler) {
        Subscription added = new Subscription(consumerGroup, eventType, handler);
        synchronized (subscriptions) {
            if (subscriptions.stream().anyMatch(added::isSameAs)) {
                throw new IllegalArgumentException("Group \"" + consumerGroup + "\" already has a handler for \""
                        + eventType + "\"; each group handles an event once");
            }
            subscriptions.add(added);
        }
        return this;
    }

    /**
     * Delivers the event to all groups that have a handler for its type. Every one of them gets it, whatever the others do, also after one was
     * interrupted or has run out of memory. The interrupt flag of a group is not seen by the next one, and is set when all have had it.
     *
     * @throws NoSubscriberException if there is none
     * @throws EventConsumeFailedException if a group could not handle it, or somebody else is handling it: publish it again later; the
     *     groups that have handled it will not do so again. Its cause and suppressed exceptions tell what went wrong
     */
    public void publish(EventEnvelope event) {
        List<Subscription> subscribers = subscriptions.stream()
                .filter(subscription -> subscription.eventType().equals(event.eventType()))
                .toList();
        if (subscribers.isEmpty()) {
            throw new NoSubscriberException(event.eventType());
        }
        List<Throwable> problems = deliverToAll(subscribers, event);
        if (!problems.isEmpty()) {
            EventConsumeFailedException failure = new EventConsumeFailedException(
                    "Not every group has handled event " + StoredText.inOneLine(event.eventId()) + ", see the cause",
                    problems.get(0));
            problems.stream().skip(1).forEach(failure::addSuppressed);
            throw failure;
        }
    }

    private List<Throwable> deliverToAll(List<Subscription> subscribers, EventEnvelope event) {
        List<Throwable> problems = new ArrayList<>(subscribers.size());
        boolean interrupted = false;
        for (Subscription subscriber : subscribers) {
            Throwable problem = deliver(subscriber, event);
            if (problem != null) {
                problems.add(problem);
            }
            interrupted |= Thread.interrupted(); // with it set, the next group would get no connection
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return problems;
    }

    private @Nullable Throwable deliver(Subscription subscriber, EventEnvelope event) {
        try {
            ConsumeResult result = template.consume(subscriber.consumerGroup(), event, subscriber.handler(), options);
            return result.done()
                    ? null
                    : new EventConsumeFailedException(
                            StoredText.inOneLine("Event " + event.eventId() + " is in progress in group "
                                    + subscriber.consumerGroup()),
                            null);
        } catch (RuntimeException | Error e) {
            return e;
        }
    }

    /**
     * The bus as a listener registry for the outbox's dispatcher: events of every type that has a handler here, of any aggregate type, go
     * to {@link #publish}. An event is delivered when all groups have handled it.
     */
    public ListenerRegistry listeners() {
        EventListener listener = this::publish;
        return (aggregateType, eventType) ->
                subscriptions.stream().anyMatch(one -> one.eventType().equals(eventType)) ? listener : null;
    }

    List<Subscription> subscriptions() {
        return List.copyOf(subscriptions);
    }
}
