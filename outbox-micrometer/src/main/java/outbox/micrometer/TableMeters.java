package outbox.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.stream.LongStream;
import outbox.spi.EventMetrics.Path;
import outbox.spi.EventMetrics.Result;

/** The meters of one table, by topic, which is the event type. */
final class TableMeters {

    private static final Duration[] LATENCY_BUCKETS =
            millis(1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000);

    /** From a tenth of a millisecond, which is usual for the hot path. */
    private static final Duration[] HOT_BUCKETS = {
        Duration.ofNanos(100_000),
        Duration.ofNanos(250_000),
        Duration.ofNanos(500_000),
        Duration.ofMillis(1),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        Duration.ofSeconds(5),
        Duration.ofSeconds(30)
    };

    /** Up to a day, for what was written while nobody delivered. */
    private static final Duration[] COLD_BUCKETS = millis(
            10, 100, 500, 1000, 5000, 10_000, 30_000, 60_000, 300_000, 1_800_000, 3_600_000, 21_600_000, 86_400_000);

    private final OwnedMeters meters;
    private final String table;
    private final BoundedTags<TopicMeters> topics;

    TableMeters(OwnedMeters meters, String table, int topicLimit) {
        this.meters = meters;
        this.table = table;
        this.topics = new BoundedTags<>(topicLimit, TopicMeters::new);
    }

    private static Duration[] millis(long... values) {
        return LongStream.of(values).mapToObj(Duration::ofMillis).toArray(Duration[]::new);
    }

    TopicMeters topic(String topic) {
        return topics.of(topic);
    }

    private Timer timer(String name, String description, Duration[] buckets, Tags tags) {
        // Times beyond the largest bucket would otherwise be lost: a histogram expects no more than 30 seconds.
        return meters.register(Timer.builder(name)
                .description(description)
                .serviceLevelObjectives(buckets)
                .maximumExpectedValue(buckets[buckets.length - 1])
                .tags(tags)::register);
    }

    /** The meters of one topic. */
    final class TopicMeters {

        private final Counter written;
        private final Counter dead;
        private final Counter superseded;
        private final Timer fromCommit;
        private final Timer fromCreation;
        private final DeliveryMeters success;
        private final DeliveryMeters failure;

        private TopicMeters(String topic) {
            Tags tags = Tags.of("table", table, "topic", topic);
            this.written = meters.register(Counter.builder("outbox.enqueue")
                    .description("Events written and committed")
                    .tags(tags)::register);
            this.dead = meters.register(Counter.builder("outbox.dead")
                    .description("Events that ended DEAD")
                    .tags(tags)::register);
            this.superseded = meters.register(Counter.builder("outbox.superseded")
                    .description("Events that were not delivered, because there was a newer one of their key")
                    .tags(tags)::register);
            this.fromCommit = timer(
                    "outbox.commit.to.listener",
                    "From the commit to the listener, of events on the hot path",
                    HOT_BUCKETS,
                    tags);
            this.fromCreation = timer(
                    "outbox.creation.to.listener",
                    "From the creation to the listener, of events that a poll found",
                    COLD_BUCKETS,
                    tags);
            this.success = new DeliveryMeters(tags.and("result", "success"));
            this.failure = new DeliveryMeters(tags.and("result", "failure"));
        }

        void written() {
            written.increment();
        }

        void dead() {
            dead.increment();
        }

        void superseded(int events) {
            superseded.increment(events);
        }

        void started(Path path, Duration waited) {
            (path == Path.HOT ? fromCommit : fromCreation).record(waited);
        }

        void dispatched(Result result, Duration time) {
            (result == Result.SUCCESS ? success : failure).add(time);
        }
    }

    private final class DeliveryMeters {

        private final Counter deliveries;
        private final Timer latency;

        private DeliveryMeters(Tags tags) {
            this.deliveries = meters.register(Counter.builder("outbox.dispatch")
                    .description("Deliveries that ended, by their result")
                    .tags(tags)::register);
            this.latency =
                    timer("outbox.dispatch.latency", "How long interceptors and listener took", LATENCY_BUCKETS, tags);
        }

        void add(Duration time) {
            deliveries.increment();
            latency.record(time);
        }
    }
}
