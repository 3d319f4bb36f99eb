package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.AfterDead;
import outbox.AggregateType;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.internal.outcome.Outcome;
import outbox.internal.outcome.Telling;
import outbox.internal.text.ContentMask;
import outbox.internal.text.EventNames;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.model.EventRoute;
import outbox.model.OutboxEvent;
import outbox.registry.ListenerRegistry;

/** Brings events to their listeners, with the interceptors around them, and knows which events have none. */
final class Listeners {

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    private final ListenerRegistry registry;
    private final List<EventInterceptor> interceptors;
    private final EventNames names;
    private final @Nullable WaitingRoutes waiting;
    private final @Nullable FailureTeller teller;

    /** From when on it is worth asking what waits. */
    private volatile boolean someWait;

    /** From when on it is worth asking what was not told. */
    private volatile boolean someFailed;

    /** An event without a listener fails. */
    Listeners(ListenerRegistry registry, List<EventInterceptor> interceptors, EventNames names) {
        this(registry, interceptors, names, null, null);
    }

    /**
     * @param waiting notes kinds of events that have no listener here and wait for another process; null if such events fail
     * @param teller decides which failures are told; null if nobody does
     */
    Listeners(
            ListenerRegistry registry,
            List<EventInterceptor> interceptors,
            EventNames names,
            @Nullable WaitingRoutes waiting,
            @Nullable FailureTeller teller) {
        this.registry = registry;
        this.interceptors = List.copyOf(interceptors);
        this.names = names;
        this.waiting = waiting;
        this.teller = teller;
    }

    /** Whether the event waits for a process that has a listener for it; that is noted. */
    boolean waits(EventEnvelope event) {
        return waits(event.aggregateType(), event.eventType());
    }

    /** As {@link #waits(EventEnvelope)}, for an event of these types. */
    boolean waits(String aggregateType, String eventType) {
        if (waiting == null || hasListener(registry, aggregateType, eventType)) {
            return false;
        }
        waiting.note(new EventRoute(aggregateType, eventType));
        someWait = true;
        return true;
    }

    /** A registry that fails is no reason to let an event wait: it fails when it is delivered, and that is seen. */
    static boolean hasListener(ListenerRegistry registry, String aggregateType, String eventType) {
        try {
            return registry.listenerFor(aggregateType, eventType) != null;
        } catch (Throwable e) {
            return true;
        }
    }

    /** What waits for other processes; null as long as nothing has. */
    @Nullable
    WaitingRoutes waiting() {
        return someWait ? waiting : null;
    }

    /** How the log tells of a failed delivery; null if nothing is decided about that. */
    @Nullable
    Telling telling(EventEnvelope event, int attempts, Outcome outcome, Throwable failure) {
        someFailed = true;
        return teller == null ? null : teller.of(event, attempts, outcome, failure);
    }

    /** Tells of failures that were not told, if the time for it has come. */
    void tellFailures() {
        if (someFailed && teller != null) {
            teller.tick();
        }
    }

    /** Tells of all failures that were not told. */
    void close() {
        if (teller != null) {
            teller.close();
        }
    }

    /** Returns what went wrong, or null. Nothing escapes: an {@link Error} of a listener harms only its own event. */
    @Nullable
    Throwable deliver(EventEnvelope event) {
        Throwable failure = null;
        try {
            for (EventInterceptor interceptor : interceptors) {
                interceptor.beforeDispatch(event);
            }
            listenerFor(event).onEvent(event);
        } catch (Throwable e) {
            failure = e;
        }
        afterDispatch(event, failure);
        return failure;
    }

    /** Whether later events of the key must wait if this one ends DEAD. Nothing escapes here either. */
    boolean holdKeyWhenDead(EventEnvelope event) {
        return holdKeyWhenDead(event.aggregateType(), event.eventType(), () -> names.of(event), ContentMask.of(event));
    }

    /** As {@link #holdKeyWhenDead(EventEnvelope)}, for an event of which no more can be read. */
    boolean holdKeyWhenDead(OutboxEvent row) {
        String aggregateType = row.aggregateType() == null ? AggregateType.GLOBAL.name() : row.aggregateType();
        return holdKeyWhenDead(aggregateType, row.eventType(), () -> names.of(row), ContentMask.of(row));
    }

    private boolean holdKeyWhenDead(
            String aggregateType, String eventType, Supplier<String> name, ContentMask content) {
        try {
            EventListener listener = registry.listenerFor(aggregateType, eventType);
            return listener != null && listener.afterDead() == AfterDead.HOLD_KEY;
        } catch (Throwable e) {
            LOG.log(
                    Level.ERROR,
                    "Cannot ask what follows the end of " + name.get() + "; its key is held",
                    LoggedError.of(e, content));
            return true;
        }
    }

    private EventListener listenerFor(EventEnvelope event) throws UnroutableEventException {
        EventListener listener = registry.listenerFor(event.aggregateType(), event.eventType());
        if (listener == null) {
            EventRoute route = new EventRoute(event.aggregateType(), event.eventType());
            String registered = RouteNames.registeredIn(registry);
            throw UnroutableEventException.ofNames(RouteNames.noListenerFor(route)
                    + (registered.isEmpty() ? "" : " (" + registered + ")") + "; register one and replay the event");
        }
        return listener;
    }

    private void afterDispatch(EventEnvelope event, @Nullable Throwable failure) {
        Exception error =
                failure == null || failure instanceof Exception ? (Exception) failure : new ExecutionException(failure);
        for (int i = interceptors.size() - 1; i >= 0; i--) {
            try {
                interceptors.get(i).afterDispatch(event, error);
            } catch (Throwable e) {
                LOG.log(
                        Level.ERROR,
                        "EventInterceptor.afterDispatch failed for " + names.of(event),
                        LoggedError.of(e, ContentMask.of(event)));
            }
        }
    }
}
