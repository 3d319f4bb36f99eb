package outbox.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Tags;
import org.jspecify.annotations.Nullable;
import outbox.spi.EventMetrics.Result;

/**
 * The meters of one table by tenant. They are meters of their own: a tag more on those by topic would multiply tenants by topics, and a registry
 * for Prometheus refuses meters of one name with different tags.
 */
final class TenantMeters {

    /** The tag of events without a tenant. */
    static final String NONE = "none";

    private final OwnedMeters meters;
    private final String table;
    private final BoundedTags<OneTenant> tenants;

    TenantMeters(OwnedMeters meters, String table, int limit) {
        this.meters = meters;
        this.table = table;
        // Events without a tenant take no place.
        this.tenants = new BoundedTags<>(limit == Integer.MAX_VALUE ? limit : limit + 1, OneTenant::new);
        tenants.of(NONE);
    }

    OneTenant of(@Nullable String tenantId) {
        return tenants.of(tenantId == null ? NONE : tenantId);
    }

    /** The meters of one tenant. */
    final class OneTenant {

        private final Counter written;
        private final Counter dead;
        private final Counter success;
        private final Counter failure;

        private OneTenant(String tenant) {
            Tags tags = Tags.of("table", table, "tenant", tenant);
            this.written = counter("outbox.tenant.enqueue", "Events written and committed, by tenant", tags);
            this.dead = counter("outbox.tenant.dead", "Events that ended DEAD, by tenant", tags);
            String deliveries = "Deliveries that ended, by tenant and result";
            this.success = counter("outbox.tenant.dispatch", deliveries, tags.and("result", "success"));
            this.failure = counter("outbox.tenant.dispatch", deliveries, tags.and("result", "failure"));
        }

        private Counter counter(String name, String description, Tags tags) {
            return meters.register(
                    Counter.builder(name).description(description).tags(tags)::register);
        }

        void written() {
            written.increment();
        }

        void dead() {
            dead.increment();
        }

        void dispatched(Result result) {
            (result == Result.SUCCESS ? success : failure).increment();
        }
    }
}
