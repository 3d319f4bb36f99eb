package outbox.boot.autoconfigure;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** All that can be said of the outboxes of an application. Keys below {@code outbox} that nobody knows stop the start. */
@ConfigurationProperties(prefix = "outbox", ignoreUnknownFields = false)
public class OutboxProperties extends OutboxSettings {

    /** Whether there is an outbox at all. */
    private boolean enabled = true;

    /** More outboxes, by name, each on a table of its own. */
    private Map<String, OutboxSettings> more = new LinkedHashMap<>();

    /** Consuming once. */
    private Inbox inbox = new Inbox();

    /** The way from Spring's application events to the outbox. */
    private Bridge bridge = new Bridge();

    /** Meters. */
    private Metrics metrics = new Metrics();

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public Map<String, OutboxSettings> getMore() {
        return more;
    }

    public Inbox getInbox() {
        return inbox;
    }

    public Bridge getBridge() {
        return bridge;
    }

    public Metrics getMetrics() {
        return metrics;
    }

    /** Consuming once. */
    public static class Inbox {

        /** Whether there are beans for consuming once. */
        private boolean enabled = true;

        /** The table of records, in the outbox's database. */
        private String table = "event_consume_record";

        /** How long records are kept; those of events that are not finished are kept anyway. */
        private Duration retention = Duration.ofDays(14);

        public boolean isEnabled() {
            return enabled;
        }

        public void setEnabled(boolean enabled) {
            this.enabled = enabled;
        }

        public String getTable() {
            return table;
        }

        public void setTable(String table) {
            this.table = table;
        }

        public Duration getRetention() {
            return retention;
        }

        public void setRetention(Duration retention) {
            this.retention = retention;
        }
    }

    /** The way from Spring's application events to the outbox. */
    public static class Bridge {

        /** Whether objects with @Outboxed that are published through Spring are written to the outbox. */
        private boolean enabled = true;

        public boolean isEnabled() {
            return enabled;
        }

        public void setEnabled(boolean enabled) {
            this.enabled = enabled;
        }
    }

    /** Meters. */
    public static class Metrics {

        /** Whether meters are bound, if there is a registry. */
        private boolean enabled = true;

        public boolean isEnabled() {
            return enabled;
        }

        public void setEnabled(boolean enabled) {
            this.enabled = enabled;
        }
    }
}
