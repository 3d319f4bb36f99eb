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
import outbox.internal.text.ContentMask;
import outbox.internal.text.EventNames;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.model.OutboxEvent;
import outbox.registry.ListenerRegistry;

/** Brings events to their listeners, with the interceptors around them. */
final class Listeners {

    private static final Logger LOG = SafeLog.of(OutboxDispatcher.class);

    private final ListenerRegistry registry;
    private final List<EventInterceptor> interceptors;
    private final EventNames names;

    Listeners(ListenerRegistry registry, List<EventInterceptor> interceptors, EventNames names) {
        this.registry = registry;
        this.interceptors = List.copyOf(interceptors);
        this.names = names;
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
            throw UnroutableEventException.noListenerFor(event);
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
