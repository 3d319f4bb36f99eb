package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.AfterDead;
import outbox.AggregateType;
import outbox.Delivery;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.HeaderProvider;
import outbox.Listener;
import outbox.Outcome;
import outbox.OutcomeListener;
import outbox.internal.dead.DeathNotice;
import outbox.internal.gate.Gate;
import outbox.internal.outcome.Telling;
import outbox.internal.outcome.Verdict;
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
    private final boolean waitForListeners;
    private final @Nullable FailureTeller teller;

    /** Of events of which listeners there is no more room, or no use, here. */
    private volatile Function<EventListener, Gate.Status> gates = listener -> Gate.Status.OPEN;

    /** Of which events nothing is delivered for now, whoever listens to them. */
    private volatile Predicate<String> paused = eventType -> false;

    /** From when on it is worth asking what waits. */
    private volatile boolean someWait;

    /** From when on it is worth asking what was not told. */
    private volatile boolean someFailed;

    /** How this process stands to events of a kind. */
    enum Standing {
        OPEN,
        /** Enough of them are here. */
        FULL,
        /** They or their listener are paused, or its receiver is away. */
        CLOSED,
        /** They have no listener. */
        NOBODY
    }

    /**
     * How kinds of events are noted that stay in the table.
     *
     * @param unroutable whether those without a listener do
     * @param routes notes them, given a way to ask how this process stands to them by now
     */
    record Waiting(Unroutable unroutable, Function<Function<EventRoute, Standing>, WaitingRoutes> routes) {}

    /** An event without a listener fails. */
    Listeners(ListenerRegistry registry, List<EventInterceptor> interceptors, EventNames names) {
        this(registry, interceptors, names, null, null);
    }

    /**
     * @param waiting how kinds of events are noted that stay in the table; null if none do
     * @param teller decides which failures are told; null if nobody does
     */
    Listeners(
            ListenerRegistry registry,
            List<EventInterceptor> interceptors,
            EventNames names,
            @Nullable Waiting waiting,
            @Nullable FailureTeller teller) {
        this.registry = registry;
        this.interceptors = List.copyOf(interceptors);
        this.names = names;
        this.waitForListeners = waiting != null && waiting.unroutable == Unroutable.WAIT;
        this.waiting = waiting == null
                ? null
                : waiting.routes.apply(route -> standingOf(route.aggregateType(), route.eventType()));
        this.teller = teller;
    }

    /**
     * From now on events stay in the table as long as the gate of their listener is not open.
     *
     * @param pausedTypes whether events of a type do in any case
     */
    void guardedBy(Function<EventListener, Gate.Status> gateStatus, Predicate<String> pausedTypes) {
        gates = gateStatus;
        paused = pausedTypes;
    }

    /** Whether the event stays in the table, for a process that has a listener for it, or until its listener has time; that is noted. */
    boolean waits(EventEnvelope event) {
        return waits(event.aggregateType(), event.eventType());
    }

    /** As {@link #waits(EventEnvelope)}, for an event of these types. */
    boolean waits(String aggregateType, String eventType) {
        if (waiting == null) {
            return false;
        }
        Standing standing = standingOf(aggregateType, eventType);
        if (standing == Standing.OPEN) {
            return false;
        }
        waiting.note(new EventRoute(aggregateType, eventType), standing);
        someWait = true;
        return standing != Standing.FULL; // what has come is taken, and no more is fetched
    }

    /** A registry that fails is no reason to let an event wait: it fails when it is delivered, and that is seen. */
    private Standing standingOf(String aggregateType, String eventType) {
        EventListener listener;
        try {
            listener = registry.listenerFor(aggregateType, eventType);
        } catch (Throwable e) {
            return Standing.OPEN;
        }
        if (listener == null && (waitForListeners || DeathNotice.TYPE.equals(eventType))) {
            return Standing.NOBODY; // a notice waits for a process with a handler whatever becomes of other events
        }
        if (paused.test(eventType)) {
            return Standing.CLOSED;
        }
        if (listener == null) {
            return Standing.OPEN;
        }
        return switch (gates.apply(listener)) {
            case OPEN -> Standing.OPEN;
            case FULL -> Standing.FULL;
            case CLOSED -> Standing.CLOSED;
        };
    }

    /** What stays in the table; null as long as nothing has. */
    @Nullable
    WaitingRoutes waiting() {
        return someWait ? waiting : null;
    }

    /** How the log tells of a failed delivery; null if nothing is decided about that. */
    @Nullable
    Telling telling(EventEnvelope event, int attempts, Verdict outcome, Throwable failure) {
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

    /** Calls a listener with the interceptors around it. Returns what went wrong, or null. Nothing escapes: an {@link Error} of a listener harms
     * only its own event. */
    @Nullable
    Throwable deliver(Delivery delivery, OutcomeListener listener) {
        return withHeaders(delivery, () -> call(delivery, listener));
    }

    private @Nullable Throwable call(Delivery delivery, OutcomeListener listener) {
        Throwable failure = before(delivery.event());
        if (failure == null) {
            try {
                failure = failureIn(listener.onEvent(delivery.event(), delivery));
            } catch (Throwable e) {
                failure = e;
            }
        }
        after(delivery.event(), failure);
        return failure;
    }

    /** What an outcome says has gone wrong; null if nothing has. */
    static @Nullable Throwable failureIn(@Nullable Object outcome) {
        if (outcome instanceof Outcome known) {
            return known.asFailure();
        }
        return outcome == null
                ? new NullPointerException(
                        "the listener returned no outcome; return Outcome.done() if the event is delivered")
                : new ClassCastException(
                        "the listener returned a " + outcome.getClass().getName()
                                + " instead of an outcome; return Outcome.done() if the event is delivered");
    }

    /** As {@link #before}, with what the event carries; what is carried is put back afterwards. */
    @Nullable
    Throwable beforeWithHeaders(Delivery delivery) {
        return withHeaders(delivery, () -> before(delivery.event()));
    }

    /** The failure of work that lets nothing escape, or of restoring what the event carries: then the work is not done. */
    private static @Nullable Throwable withHeaders(Delivery delivery, Supplier<@Nullable Throwable> work) {
        HeaderProvider.Scope restored;
        try {
            restored = delivery.restoreHeaders();
        } catch (Throwable e) {
            return e;
        }
        try {
            return work.get();
        } finally {
            restored.close();
        }
    }

    /** As {@link #after}, with what the event carries, or without it if it cannot be restored any more. */
    void afterWithHeaders(Delivery delivery, @Nullable Throwable failure) {
        HeaderProvider.Scope restored = HeaderProvider.Scope.NONE;
        try {
            restored = delivery.restoreHeaders();
        } catch (Throwable e) {
            LOG.log(
                    Level.WARNING,
                    "What " + names.of(delivery.event()) + " carries cannot be restored after its delivery",
                    LoggedError.of(e, ContentMask.of(delivery.event())));
        }
        try {
            after(delivery.event(), failure);
        } finally {
            restored.close();
        }
    }

    /** Calls the interceptors before a delivery. Returns what went wrong, or null. */
    @Nullable
    Throwable before(EventEnvelope event) {
        if (DeathNotice.TYPE.equals(event.eventType())) {
            return null; // not an event of the application
        }
        try {
            for (EventInterceptor interceptor : interceptors) {
                interceptor.beforeDispatch(event);
            }
            return null;
        } catch (Throwable e) {
            return e;
        }
    }

    /** A listener that does what is done with an event that has none here. */
    Listener nobody() {
        return Listener.of((EventEnvelope event) -> listenerFor(event).onEvent(event));
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

    /** Calls the interceptors after a delivery. */
    void after(EventEnvelope event, @Nullable Throwable failure) {
        if (DeathNotice.TYPE.equals(event.eventType())) {
            return;
        }
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
