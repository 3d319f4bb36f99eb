package outbox.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import outbox.spi.EventMetrics;
import outbox.spi.MetricsExporter;

/**
 * Exports the outbox's numbers to a Micrometer registry, under names that begin with a prefix ({@value #DEFAULT_PREFIX}
 * by default):
 *
 * <table>
 * <caption>Meters</caption>
 * <tr><th>name</th><th>type</th><th>meaning</th></tr>
 * <tr><td>{@code enqueue.hot}</td><td>counter</td><td>events that entered the hot queue</td></tr>
 * <tr><td>{@code enqueue.hot.dropped}</td><td>counter</td><td>events that the full hot queue refused</td></tr>
 * <tr><td>{@code enqueue.cold}</td><td>counter</td><td>events that the poller put into the cold queue</td></tr>
 * <tr><td>{@code dispatch.success}</td><td>counter</td><td>events delivered</td></tr>
 * <tr><td>{@code dispatch.failure}</td><td>counter</td><td>deliveries that failed and will be retried</td></tr>
 * <tr><td>{@code dispatch.dead}</td><td>counter</td><td>events that ended DEAD</td></tr>
 * <tr><td>{@code outcome.too.late}</td><td>counter</td><td>outcomes refused because another process had taken the event over</td></tr>
 * <tr><td>{@code queue.hot.depth}</td><td>gauge</td><td>events waiting in the hot queue</td></tr>
 * <tr><td>{@code workers.stuck}</td><td>gauge</td><td>workers that have not come back from their listeners for too long: all of them, or 0</td></tr>
 * <tr><td>{@code routes.waiting}</td><td>gauge</td><td>kinds of events that wait because nobody in this process listens to them</td></tr>
 * <tr><td>{@code queue.cold.depth}</td><td>gauge</td><td>events waiting in the cold queue</td></tr>
 * <tr><td>{@code lag.oldest.ms}</td><td>gauge</td><td>age of the oldest pending event, in milliseconds</td></tr>
 * </table>
 *
 * <p>With the name of a table come meters by table and topic, which is the event type. Their names do not begin with the prefix: all
 * outboxes of an application share them and differ by their tags.
 *
 * <table>
 * <caption>Meters with tags</caption>
 * <tr><th>name</th><th>tags</th><th>type</th><th>meaning</th></tr>
 * <tr><td>{@code outbox.enqueue}</td><td>table, topic</td><td>counter</td><td>events written and committed</td></tr>
 * <tr><td>{@code outbox.dispatch}</td><td>table, topic, result</td><td>counter</td><td>deliveries that ended</td></tr>
 * <tr><td>{@code outbox.dead}</td><td>table, topic</td><td>counter</td><td>events that ended DEAD</td></tr>
 * <tr><td>{@code outbox.superseded}</td><td>table, topic</td><td>counter</td><td>events that a newer one of their key has replaced</td></tr>
 * <tr><td>{@code outbox.dispatch.latency}</td><td>table, topic, result</td><td>timer</td><td>time of interceptors and listener</td></tr>
 * <tr><td>{@code outbox.commit.to.listener}</td><td>table, topic</td><td>timer</td><td>wait of events that came from memory</td></tr>
 * <tr><td>{@code outbox.creation.to.listener}</td><td>table, topic</td><td>timer</td><td>wait of events that a poll found</td></tr>
 * </table>
 *
 * <p>If asked for, {@code outbox.tenant.enqueue}, {@code outbox.tenant.dispatch} and {@code outbox.tenant.dead} count the same by tenant.
 *
 * <p>{@link BacklogGauges} adds gauges of what waits in the table.
 *
 * <p>All meters exist from the start, at zero; those of a topic from its first event on. One exporter serves all parts of an outbox; a
 * second outbox on the same registry needs a prefix of its own. The meters stay in the registry until {@link #close()}, even if nothing
 * else refers to the exporter.
 *
 * <p>Thread-safe.
 */
public final class MicrometerMetricsExporter implements MetricsExporter, AutoCloseable {

    /** The prefix of names if none is given. */
    public static final String DEFAULT_PREFIX = "outbox";
    /** How many topics get a tag of their own by default. */
    public static final int DEFAULT_TOPIC_LIMIT = 100;

    /** If two exporters want the same names, exactly one of them must get them. */
    private static final Object REGISTRATION = new Object();

    private final AtomicLong hotDepth = new AtomicLong();
    private final AtomicLong coldDepth = new AtomicLong();
    private final AtomicLong oldestLagMs = new AtomicLong();
    private final AtomicLong stuckWorkers = new AtomicLong();
    private final AtomicLong waitingRoutes = new AtomicLong();

    private final String namePrefix;
    private final OwnedMeters meters;
    private final Counter hotEnqueued;
    private final Counter hotDropped;
    private final Counter coldEnqueued;
    private final Counter dispatchSuccess;
    private final Counter dispatchFailure;
    private final Counter dispatchDead;
    private final Counter outcomeTooLate;
    private final EventMetrics byEvent;

    /**
     * An exporter under the prefix {@value #DEFAULT_PREFIX}.
     *
     * @throws IllegalStateException if the registry already has a meter of one of the names, such as those of another
     *     exporter
     */
    public MicrometerMetricsExporter(MeterRegistry registry) {
        this(registry, DEFAULT_PREFIX);
    }

    /**
     * An exporter under a prefix of its own, such as {@code orders.outbox}.
     *
     * @throws IllegalArgumentException if the prefix is blank, or the registry has a meter of another type under one of the
     *     names
     * @throws IllegalStateException if the registry already has a meter of one of the names, such as those of another
     *     exporter with the same prefix
     */
    public MicrometerMetricsExporter(MeterRegistry registry, String namePrefix) {
        this(registry, namePrefix, null, DEFAULT_TOPIC_LIMIT);
    }

    /**
     * An exporter that also counts by table and topic; see {@link #DEFAULT_TOPIC_LIMIT}.
     *
     * @param table the value of the tag {@code table}, usually the table's name
     * @throws IllegalArgumentException if the prefix or the table is blank, or the registry has a meter of another type under one of the
     *     names
     * @throws IllegalStateException if the registry already has a meter of one of the names, or of the table
     */
    public MicrometerMetricsExporter(MeterRegistry registry, String namePrefix, String table) {
        this(registry, namePrefix, table, DEFAULT_TOPIC_LIMIT);
    }

    /**
     * An exporter that also counts by table and topic.
     *
     * @param table the value of the tag {@code table}, usually the table's name; null not to count by table and topic
     * @param topicLimit how many topics get a tag of their own, at least 0; those that come later share the tag {@code other}
     * @throws IllegalArgumentException if the prefix or the table is blank, the limit is negative, or the registry has a meter of another
     *     type under one of the names
     * @throws IllegalStateException if the registry already has a meter of one of the names, or of the table
     */
    public MicrometerMetricsExporter(
            MeterRegistry registry, String namePrefix, @Nullable String table, int topicLimit) {
        this(registry, namePrefix, table, topicLimit, 0);
    }

    /**
     * An exporter that also counts by table and topic, and by tenant.
     *
     * @param table the value of the tag {@code table}, usually the table's name; null not to count by table, topic and tenant
     * @param topicLimit how many topics get a tag of their own, at least 0; those that come later share the tag {@code other}
     * @param tenantLimit how many tenants get a tag of their own; those that come later share the tag {@code other}, and events without a
     *     tenant have the tag {@code none}. 0 not to count by tenant, as the other constructors do
     * @throws IllegalArgumentException if the prefix or the table is blank, a limit is negative, tenants are to be counted without a table, or
     *     the registry has a meter of another type under one of the names
     * @throws IllegalStateException if the registry already has a meter of one of the names, or of the table
     */
    public MicrometerMetricsExporter(
            MeterRegistry registry, String namePrefix, @Nullable String table, int topicLimit, int tenantLimit) {
        Objects.requireNonNull(registry, "registry");
        this.namePrefix = requireText(Objects.requireNonNull(namePrefix, "namePrefix"), "namePrefix");
        requireLimit(topicLimit, "topicLimit");
        if (requireLimit(tenantLimit, "tenantLimit") > 0 && table == null) {
            throw new IllegalArgumentException(
                    "tenantLimit needs a table, was " + tenantLimit + " without one; give the name of the table, or 0");
        }
        synchronized (REGISTRATION) {
            this.meters = new OwnedMeters(registry);
            try {
                this.hotEnqueued = counter("enqueue.hot", "Events that entered the hot queue");
                this.hotDropped = counter("enqueue.hot.dropped", "Events that the full hot queue refused");
                this.coldEnqueued = counter("enqueue.cold", "Events that the poller put into the cold queue");
                this.dispatchSuccess = counter("dispatch.success", "Events delivered");
                this.dispatchFailure = counter("dispatch.failure", "Deliveries that failed and will be retried");
                this.dispatchDead = counter("dispatch.dead", "Events that ended DEAD");
                this.outcomeTooLate = counter(
                        "outcome.too.late", "Outcomes refused because another process had taken the event over");
                gauge("queue.hot.depth", hotDepth, "Events waiting in the hot queue");
                gauge("queue.cold.depth", coldDepth, "Events waiting in the cold queue");
                gauge(
                        "workers.stuck",
                        stuckWorkers,
                        "Workers that have not come back from their listeners for too long");
                gauge(
                        "routes.waiting",
                        waitingRoutes,
                        "Kinds of events that wait because nobody in this process listens to them");
                gauge("lag.oldest.ms", oldestLagMs, "Age of the oldest pending event, in milliseconds");
                this.byEvent = table == null
                        ? NOOP
                        : new TaggedMeters(meters, requireText(table, "table"), topicLimit, tenantLimit);
            } catch (RuntimeException e) {
                meters.remove();
                throw e;
            }
        }
    }

    @Override
    public void incrementHotEnqueued() {
        hotEnqueued.increment();
    }

    @Override
    public void incrementHotDropped() {
        hotDropped.increment();
    }

    @Override
    public void incrementColdEnqueued() {
        coldEnqueued.increment();
    }

    @Override
    public void incrementDispatchSuccess() {
        dispatchSuccess.increment();
    }

    @Override
    public void incrementDispatchFailure() {
        dispatchFailure.increment();
    }

    @Override
    public void incrementDispatchDead() {
        dispatchDead.increment();
    }

    @Override
    public void recordStuckWorkers(int workers) {
        stuckWorkers.set(workers);
    }

    @Override
    public void recordWaitingRoutes(int routes) {
        waitingRoutes.set(routes);
    }

    @Override
    public void incrementOutcomeTooLate() {
        outcomeTooLate.increment();
    }

    @Override
    public void recordQueueDepths(int hotDepth, int coldDepth) {
        this.hotDepth.set(hotDepth);
        this.coldDepth.set(coldDepth);
    }

    @Override
    public void recordOldestLagMs(long lagMs) {
        oldestLagMs.set(lagMs);
    }

    @Override
    public void eventWritten(String eventType) {
        byEvent.eventWritten(eventType);
    }

    @Override
    public void eventWritten(String eventType, @Nullable String tenantId) {
        byEvent.eventWritten(eventType, tenantId);
    }

    @Override
    public void eventStarted(String eventType, Path path, Duration waited) {
        byEvent.eventStarted(eventType, path, waited);
    }

    @Override
    public void eventDispatched(String eventType, Result result, Duration time) {
        byEvent.eventDispatched(eventType, result, time);
    }

    @Override
    public void eventDispatched(String eventType, @Nullable String tenantId, Result result, Duration time) {
        byEvent.eventDispatched(eventType, tenantId, result, time);
    }

    @Override
    public void eventDead(String eventType) {
        byEvent.eventDead(eventType);
    }

    @Override
    public void eventDead(String eventType, @Nullable String tenantId) {
        byEvent.eventDead(eventType, tenantId);
    }

    @Override
    public void eventsSuperseded(String eventType, int events) {
        if (byEvent instanceof TaggedMeters tagged) {
            tagged.eventsSuperseded(eventType, events);
        }
    }

    /**
     * Removes this exporter's meters, and no others, from the registry. Numbers reported afterwards are ignored. May be
     * called more than once.
     */
    @Override
    public void close() {
        synchronized (REGISTRATION) {
            meters.remove();
        }
    }

    private Counter counter(String name, String description) {
        return meters.register(Counter.builder(namePrefix + "." + name).description(description)::register);
    }

    private void gauge(String name, AtomicLong value, String description) {
        meters.register(Gauge.builder(namePrefix + "." + name, value, AtomicLong::doubleValue)
                .description(description)
                .strongReference(true)::register);
    }

    private static int requireLimit(int value, String name) {
        if (value < 0) {
            throw new IllegalArgumentException(name + " must be >= 0, was " + value);
        }
        return value;
    }

    private static String requireText(String value, String name) {
        if (value.isBlank()) {
            throw new IllegalArgumentException(name + " must not be blank, was \"" + value + "\"");
        }
        return value;
    }
}
