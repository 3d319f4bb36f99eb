package outbox.domain;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.AggregateType;

/**
 * What the outbox needs to know besides the events themselves, so that those need not carry it.
 *
 * @param aggregateType the kind of aggregate, such as {@code Order}; with the event's name it selects the listener
 * @param aggregateId which one of them; events of one aggregate keep their order if ordering is on
 * @param headers what else travels with the events, such as a trace id; a copy in the given order
 * @param tenantId whose events they are; null if they have no tenant
 */
public record DomainEventContext(
        String aggregateType,
        String aggregateId,
        Map<String, @Nullable String> headers,
        @Nullable String tenantId) {

    public DomainEventContext {
        requireText(aggregateType, "aggregateType");
        requireText(aggregateId, "aggregateId");
        headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
        if (headers.containsKey(VersionHeader.NAME)) {
            throw new IllegalArgumentException("header \"" + VersionHeader.NAME
                    + "\" is set by the outbox, from the event's registered version; use another name");
        }
    }

    /** A context without a tenant. */
    public DomainEventContext(String aggregateType, String aggregateId, Map<String, @Nullable String> headers) {
        this(aggregateType, aggregateId, headers, null);
    }

    /** A context without headers. */
    public static DomainEventContext of(String aggregateType, String aggregateId) {
        return new DomainEventContext(aggregateType, aggregateId, Map.of());
    }

    /** A context without headers. */
    public static DomainEventContext of(AggregateType aggregateType, String aggregateId) {
        return of(aggregateType.name(), aggregateId);
    }

    /** The same context for a tenant. */
    public DomainEventContext withTenantId(@Nullable String tenant) {
        return new DomainEventContext(aggregateType, aggregateId, headers, tenant);
    }

    /** Says whose events they are without showing the headers, which may be confidential. */
    @Override
    public String toString() {
        return "DomainEventContext[" + aggregateType + "/" + aggregateId + "]";
    }

    private static void requireText(String value, String name) {
        if (Objects.requireNonNull(value, name).isBlank()) {
            throw new IllegalArgumentException(name + " must not be empty, was \"" + value + "\"");
        }
    }
}
