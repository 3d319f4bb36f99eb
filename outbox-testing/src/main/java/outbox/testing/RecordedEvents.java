package outbox.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.assertj.core.api.AssertProvider;
import outbox.EventEnvelope;
import outbox.WriterHook;

/**
 * The events that were written in transactions that have committed or are still open, in the order of the writes, for assertions; those of a
 * transaction that was rolled back are gone. Given to an outbox as a {@linkplain outbox.OutboxBuilder#hook hook}. Thread-safe.
 *
 * <pre>{@code
 * RecordedEvents events = new RecordedEvents();
 * Outbox outbox = builder.hook(events.hook()).build();
 * …
 * assertThat(events).containsExactlyOne("OrderPlaced").forAggregate("Order", "42");
 * }</pre>
 */
public final class RecordedEvents implements AssertProvider<RecordedEventsAssert> {

    private final List<EventEnvelope> events = new ArrayList<>();
    private final Function<Class<?>, String> eventTypeOf;
    private final BiFunction<String, Class<?>, Object> reader;

    /** Records events whose payloads are read by nobody; classes stand for events of their simple names. */
    public RecordedEvents() {
        this(Class::getSimpleName, (json, type) -> {
            throw new IllegalStateException("these RecordedEvents cannot read payloads; make them with"
                    + " new RecordedEvents(eventTypeOf, reader)");
        });
    }

    /**
     * Records events.
     *
     * @param eventTypeOf the type of events whose payload is of a class
     * @param reader reads a payload as an object of a class
     */
    public RecordedEvents(Function<Class<?>, String> eventTypeOf, BiFunction<String, Class<?>, Object> reader) {
        this.eventTypeOf = Objects.requireNonNull(eventTypeOf, "eventTypeOf");
        this.reader = Objects.requireNonNull(reader, "reader");
    }

    /** What the outbox that is recorded gets. */
    public WriterHook hook() {
        return new WriterHook() {
            @Override
            public void afterWrite(List<EventEnvelope> written) {
                add(written);
            }

            @Override
            public void afterRollback(List<EventEnvelope> undone) {
                remove(undone);
            }
        };
    }

    private synchronized void add(List<EventEnvelope> written) {
        events.addAll(written);
    }

    /** Envelopes are equal only to themselves: an event that is written again is another one. */
    private synchronized void remove(List<EventEnvelope> undone) {
        undone.forEach(events::remove);
    }

    /** All of them, in the order of their writes. */
    public synchronized List<EventEnvelope> all() {
        return List.copyOf(events);
    }

    /** Those of a type. */
    public List<EventEnvelope> ofType(String eventType) {
        return all().stream()
                .filter(event -> event.eventType().equals(eventType))
                .toList();
    }

    /** Those whose payload is of a class. */
    public List<EventEnvelope> ofType(Class<?> payload) {
        return ofType(eventTypeOf.apply(payload));
    }

    /** Forgets all. */
    public synchronized void clear() {
        events.clear();
    }

    String eventTypeOf(Class<?> payload) {
        return eventTypeOf.apply(payload);
    }

    Object payloadOf(EventEnvelope event, Class<?> type) {
        return reader.apply(event.payloadJson(), type);
    }

    /** For {@code assertThat(events)} of AssertJ. */
    @Override
    public RecordedEventsAssert assertThat() {
        return new RecordedEventsAssert(this);
    }
}
