package outbox.micrometer;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.spi.EventMetrics;
import outbox.spi.ListenerMetrics;

/** What happens to the events of one table, by topic and, if asked for, by tenant. */
final class TaggedMeters implements EventMetrics, ListenerMetrics {

    private final TableMeters topics;
    private final @Nullable TenantMeters tenants;

    /** @param tenantLimit 0 not to count by tenant */
    TaggedMeters(OwnedMeters meters, String table, int topicLimit, int tenantLimit) {
        this.topics = new TableMeters(meters, table, topicLimit);
        this.tenants = tenantLimit == 0 ? null : new TenantMeters(meters, table, tenantLimit);
    }

    @Override
    public void eventWritten(String eventType) {
        topics.topic(eventType).written();
    }

    @Override
    public void eventWritten(String eventType, @Nullable String tenantId) {
        eventWritten(eventType);
        if (tenants != null) {
            tenants.of(tenantId).written();
        }
    }

    @Override
    public void eventStarted(String eventType, Path path, Duration waited) {
        topics.topic(eventType).started(path, waited);
    }

    @Override
    public void eventDispatched(String eventType, Result result, Duration time) {
        topics.topic(eventType).dispatched(result, time);
    }

    @Override
    public void eventDispatched(String eventType, @Nullable String tenantId, Result result, Duration time) {
        eventDispatched(eventType, result, time);
        if (tenants != null) {
            tenants.of(tenantId).dispatched(result);
        }
    }

    @Override
    public void eventsSuperseded(String eventType, int events) {
        topics.topic(eventType).superseded(events);
    }

    @Override
    public void eventDead(String eventType) {
        topics.topic(eventType).dead();
    }

    @Override
    public void eventDead(String eventType, @Nullable String tenantId) {
        eventDead(eventType);
        if (tenants != null) {
            tenants.of(tenantId).dead();
        }
    }
}
