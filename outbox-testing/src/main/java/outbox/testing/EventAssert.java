package outbox.testing;

import java.util.Objects;
import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;

/** What is said of one recorded event. */
public final class EventAssert extends AbstractAssert<EventAssert, EventEnvelope> {

    private final RecordedEvents events;

    EventAssert(RecordedEvents events, EventEnvelope event) {
        super(event, EventAssert.class);
        this.events = events;
    }

    /** It is about that aggregate. */
    public EventAssert forAggregate(String aggregateType, @Nullable String aggregateId) {
        same("aggregate type", aggregateType, actual.aggregateType());
        return same("aggregate id", aggregateId, actual.aggregateId());
    }

    /** Its payload is that text. */
    public EventAssert withPayloadJson(String json) {
        return same("payload", json, actual.payloadJson());
    }

    /** Its payload, read as an object of the expected one's class, equals it. */
    public EventAssert withPayload(Object payload) {
        return same("payload", payload, events.payloadOf(actual, payload.getClass()));
    }

    /** It has that header. */
    public EventAssert withHeader(String name, @Nullable String value) {
        return same("header \"" + name + "\"", value, actual.headers().get(name));
    }

    /** It is of that tenant. */
    public EventAssert withTenant(@Nullable String tenantId) {
        return same("tenant", tenantId, actual.tenantId());
    }

    private EventAssert same(String what, @Nullable Object expected, @Nullable Object found) {
        if (!Objects.equals(expected, found)) {
            failWithMessage("Expected the %s of %s to be <%s>, but it is <%s>", what, actual, expected, found);
        }
        return this;
    }
}
