package outbox.testing;

import java.util.List;
import org.assertj.core.api.AbstractAssert;
import outbox.EventEnvelope;

/** What AssertJ's {@code assertThat} says of {@link RecordedEvents}. */
public final class RecordedEventsAssert extends AbstractAssert<RecordedEventsAssert, RecordedEvents> {

    RecordedEventsAssert(RecordedEvents events) {
        super(events, RecordedEventsAssert.class);
    }

    /** Exactly one event of that type was written; goes on with it. */
    public EventAssert containsExactlyOne(String eventType) {
        return only(eventType, actual.ofType(eventType));
    }

    /** Exactly one event whose payload is of that class was written; goes on with it. */
    public EventAssert containsExactlyOne(Class<?> payload) {
        return containsExactlyOne(actual.eventTypeOf(payload));
    }

    private EventAssert only(String eventType, List<EventEnvelope> found) {
        if (found.size() != 1) {
            failWithMessage(
                    "Expected exactly one event of type \"%s\", but there are %s.%nWritten: %s",
                    eventType, found.size(), actual.all());
        }
        return new EventAssert(actual, found.get(0));
    }

    /** So many events of that type were written. */
    public RecordedEventsAssert contains(int times, String eventType) {
        int found = actual.ofType(eventType).size();
        if (found != times) {
            failWithMessage(
                    "Expected %s events of type \"%s\", but there are %s.%nWritten: %s",
                    times, eventType, found, actual.all());
        }
        return this;
    }

    /** No event of that type was written. */
    public RecordedEventsAssert doesNotContain(String eventType) {
        return contains(0, eventType);
    }

    /** No event whose payload is of that class was written. */
    public RecordedEventsAssert doesNotContain(Class<?> payload) {
        return doesNotContain(actual.eventTypeOf(payload));
    }

    /** Events of these types were written, in this order, and no others. */
    public RecordedEventsAssert hasTypes(String... eventTypes) {
        List<String> found = actual.all().stream().map(EventEnvelope::eventType).toList();
        if (!found.equals(List.of(eventTypes))) {
            failWithMessage("Expected events of the types %s, but they are %s", List.of(eventTypes), found);
        }
        return this;
    }

    /** Nothing was written. */
    public RecordedEventsAssert isEmpty() {
        return hasTypes();
    }
}
