package outbox.boot.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import outbox.WhenFull;
import outbox.dispatch.Ordering;

/** What can be said of one outbox. Each property changes what it names and nothing else. Defaults are literals, as the metadata wants them. */
public class OutboxSettings {

    /** The table, with its schema and a dot before it if that is not the connection's. */
    private String table = "outbox_event";

    /** The name of the DataSource bean. Default: the only or primary one. */
    private @Nullable String dataSource;

    /** The name of the transaction manager for groups and idempotent consumers. Default: the only or primary one. */
    private @Nullable String transactionManager;

    /** Whether the events of each aggregate are delivered in their order. */
    private Ordering ordering = Ordering.NONE;

    /** How many events may be pending. Default: no limit. */
    private @Nullable Long pendingLimit;

    /** What happens to writes above the limit. */
    private WhenFull whenFull = WhenFull.WARN;

    /** Checks that are left out of the preflight, by name. */
    private List<String> skipPreflight = new ArrayList<>();

    /** Delivery. */
    @NestedConfigurationProperty
    private RelaySettings relay = new RelaySettings();

    /** Pauses after failures. */
    private Retry retry = new Retry();

    /** Deletion of finished events. */
    private Cleaner cleaner = new Cleaner();

    /** Tables. */
    private Schema schema = new Schema();

    /** Health. */
    private HealthLimits health = new HealthLimits();

    public String getTable() {
        return table;
    }

    public void setTable(String table) {
        this.table = table;
    }

    public @Nullable String getDataSource() {
        return dataSource;
    }

    public void setDataSource(@Nullable String dataSource) {
        this.dataSource = dataSource;
    }

    public @Nullable String getTransactionManager() {
        return transactionManager;
    }

    public void setTransactionManager(@Nullable String transactionManager) {
        this.transactionManager = transactionManager;
    }

    public Ordering getOrdering() {
        return ordering;
    }

    public void setOrdering(Ordering ordering) {
        this.ordering = ordering;
    }

    public @Nullable Long getPendingLimit() {
        return pendingLimit;
    }

    public void setPendingLimit(@Nullable Long pendingLimit) {
        this.pendingLimit = pendingLimit;
    }

    public WhenFull getWhenFull() {
        return whenFull;
    }

    public void setWhenFull(WhenFull whenFull) {
        this.whenFull = whenFull;
    }

    public List<String> getSkipPreflight() {
        return skipPreflight;
    }

    public void setSkipPreflight(List<String> skipPreflight) {
        this.skipPreflight = skipPreflight;
    }

    public RelaySettings getRelay() {
        return relay;
    }

    public Retry getRetry() {
        return retry;
    }

    public Cleaner getCleaner() {
        return cleaner;
    }

    public Schema getSchema() {
        return schema;
    }

    public HealthLimits getHealth() {
        return health;
    }

    /** Pauses after failures. */
    public static class Retry {

        /** How long to wait after the first failure; doubled with each further one. */
        private Duration firstDelay = Duration.ofSeconds(1);

        /** The longest time to wait after a failure. */
        private Duration longestDelay = Duration.ofMinutes(10);

        public Duration getFirstDelay() {
            return firstDelay;
        }

        public void setFirstDelay(Duration firstDelay) {
            this.firstDelay = firstDelay;
        }

        public Duration getLongestDelay() {
            return longestDelay;
        }

        public void setLongestDelay(Duration longestDelay) {
            this.longestDelay = longestDelay;
        }
    }

    /** Deletion of finished events. */
    public static class Cleaner {

        /** Whether this process deletes finished events. */
        private boolean enabled = true;

        /** How long delivered events are kept. */
        private Duration retention = Duration.ofDays(7);

        /** Whether DEAD events are deleted too; if not, they are kept until somebody acts. */
        private boolean deadEnabled = false;

        /** How long DEAD events are kept if they are deleted. Default: as long as delivered ones. */
        private @Nullable Duration deadRetention;

        public boolean isEnabled() {
            return enabled;
        }

        public void setEnabled(boolean enabled) {
            this.enabled = enabled;
        }

        public Duration getRetention() {
            return retention;
        }

        public void setRetention(Duration retention) {
            this.retention = retention;
        }

        public boolean isDeadEnabled() {
            return deadEnabled;
        }

        public void setDeadEnabled(boolean deadEnabled) {
            this.deadEnabled = deadEnabled;
        }

        public @Nullable Duration getDeadRetention() {
            return deadRetention;
        }

        public void setDeadRetention(@Nullable Duration deadRetention) {
            this.deadRetention = deadRetention;
        }
    }

    /** Tables. */
    public static class Schema {

        /** In which databases missing tables are created at the start. */
        private SchemaInitialization initialize = SchemaInitialization.EMBEDDED;

        /** Whether the application's Flyway or Liquibase, if it has one, also brings the outbox's tables up to date, with a history of their own. */
        private boolean migrate = true;

        public SchemaInitialization getInitialize() {
            return initialize;
        }

        public void setInitialize(SchemaInitialization initialize) {
            this.initialize = initialize;
        }

        public boolean isMigrate() {
            return migrate;
        }

        public void setMigrate(boolean migrate) {
            this.migrate = migrate;
        }
    }

    /** Health. */
    public static class HealthLimits {

        /** How long an event may be due while nobody is known to deliver. */
        private Duration oldestPending = Duration.ofMinutes(10);

        public Duration getOldestPending() {
            return oldestPending;
        }

        public void setOldestPending(Duration oldestPending) {
            this.oldestPending = oldestPending;
        }
    }
}
