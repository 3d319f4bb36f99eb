package outbox.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import outbox.spi.EventMetrics.Result;

/**
 * The meters of one table, by topic, which is the event type. A registry never forgets a tag, and an event type may come from outside:
 * beyond a limit all further topics share one tag, which exists from the start.
 */
final class TableMeters {

    /** The tag of all topics beyond the limit. */
    static final String OTHER = "other";

    private static final Duration[] LATENCY_BUCKETS = {
        Duration.ofMillis(1),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(25),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(250),
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        Duration.ofMillis(2500),
        Duration.ofSeconds(5),
        Duration.ofSeconds(10),
        Duration.ofSeconds(30)
    };

    private final OwnedMeters meters;
    private final String table;
    private final int topicLimit;
    private final TopicMeters other;
    private final Map<String, TopicMeters> topics = new ConcurrentHashMap<>();

    TableMeters(OwnedMeters meters, String table, int topicLimit) {
        this.meters = meters;
        this.table = table;
        this.topicLimit = topicLimit;
        this.other = new TopicMeters(OTHER);
    }

    TopicMeters topic(String topic) {
        TopicMeters known = topics.get(topic);
        return known == null ? newTopic(topic) : known;
    }

    /** One at a time, so that no two of them get the last place. */
    private synchronized TopicMeters newTopic(String topic) {
        if (topics.size() >= topicLimit || topic.equals(OTHER) || topic.isBlank()) {
            return topics.getOrDefault(topic, other);
        }
        return topics.computeIfAbsent(topic, TopicMeters::new);
    }

    /** The meters of one topic. */
    final class TopicMeters {

        private final Counter written;
        private final Counter dead;
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
            this.success = new DeliveryMeters(tags.and("result", "success"));
            this.failure = new DeliveryMeters(tags.and("result", "failure"));
        }

        void written() {
            written.increment();
        }

        void dead() {
            dead.increment();
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
            this.latency = meters.register(Timer.builder("outbox.dispatch.latency")
                    .description("How long interceptors and listener took")
                    .serviceLevelObjectives(LATENCY_BUCKETS)
                    .tags(tags)::register);
        }

        void add(Duration time) {
            deliveries.increment();
            latency.record(time);
        }
    }
}
