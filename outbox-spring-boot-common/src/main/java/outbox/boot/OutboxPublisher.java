package outbox.boot;

import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;

/**
 * Writes objects as events in the transaction of the calling thread. What an event is about says {@link Outboxed} on the class, or an
 * {@link OutboxMapping}. Thread-safe.
 */
public interface OutboxPublisher {

    /**
     * Writes an event.
     *
     * @return its id, or null if a hook suppressed it
     * @throws IllegalStateException if no transaction is active, or it is read-only
     * @throws IllegalArgumentException if the outbox keeps order and the event does not say what it is about
     */
    default @Nullable String publish(Object event) {
        return publish(event, envelope -> {});
    }

    /** As {@link #publish(Object)}, with headers, a tenant, a delay or another part of the envelope. */
    @Nullable
    String publish(Object event, Consumer<EventEnvelope.Builder> more);

    /**
     * Writes several events with one statement.
     *
     * @return the ids of what was written, in order
     */
    List<String> publishAll(Collection<?> events);
}
