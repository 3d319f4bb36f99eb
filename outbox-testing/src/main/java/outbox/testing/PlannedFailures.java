package outbox.testing;

import java.util.Deque;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import outbox.EventEnvelope;
import outbox.dispatch.EventInterceptor;

/**
 * Failures of deliveries that a test asks for, to see what follows. Given to a dispatcher as an
 * {@linkplain outbox.dispatch.OutboxDispatcher.Builder#interceptor interceptor}. Thread-safe.
 */
public final class PlannedFailures implements EventInterceptor {

    private final Map<String, Deque<Exception>> planned = new ConcurrentHashMap<>();

    /** Plans nothing. */
    public PlannedFailures() {}

    /** The next delivery of an event of that type fails so, before its listener is called. Several calls mean several deliveries. */
    public void failNext(String eventType, Exception failure) {
        Objects.requireNonNull(failure, "failure");
        planned.computeIfAbsent(Objects.requireNonNull(eventType, "eventType"), type -> new ConcurrentLinkedDeque<>())
                .add(failure);
    }

    /** What was planned and has not happened is not going to happen. */
    public void clear() {
        planned.clear();
    }

    @Override
    public void beforeDispatch(EventEnvelope event) throws Exception {
        Deque<Exception> failures = planned.get(event.eventType());
        Exception next = failures == null ? null : failures.poll();
        if (next != null) {
            throw next;
        }
    }
}
