package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import outbox.AfterDead;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.registry.ListenerRegistry;

/** Brings one event to its listener, with the interceptors around it. */
final class EventDelivery {

    private static final Logger LOG = System.getLogger(OutboxDispatcher.class.getName());

    private final ListenerRegistry registry;
    private final List<EventInterceptor> interceptors;

    EventDelivery(ListenerRegistry registry, List<EventInterceptor> interceptors) {
        this.registry = registry;
        this.interceptors = List.copyOf(interceptors);
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
    boolean holdsKeyWhenDead(EventEnvelope event) {
        try {
            EventListener listener = registry.listenerFor(event.aggregateType(), event.eventType());
            return listener != null && listener.afterDead() == AfterDead.HOLD_KEY;
        } catch (Throwable e) {
            LOG.log(
                    Level.ERROR,
                    "Cannot ask what follows the end of event " + event.eventId() + "; its key is held",
                    e);
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
                LOG.log(Level.ERROR, "EventInterceptor.afterDispatch failed for event " + event.eventId(), e);
            }
        }
    }
}
