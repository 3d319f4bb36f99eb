package outbox.micrometer;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import outbox.internal.task.PeriodicTask;
import outbox.internal.task.ThreadNames;
import outbox.internal.text.LoggedError;
import outbox.internal.text.SafeLog;
import outbox.internal.transaction.ShortTransaction;
import outbox.spi.ConnectionProvider;
import outbox.spi.OutboxStore;
import outbox.spi.OutboxStore.Backlog;
import outbox.spi.OutboxStore.DeadCount;

/**
 * Shows how much waits in a table, and how much lies there: gauges with the tag {@code table}.
 *
 * <table>
 * <caption>Gauges</caption>
 * <tr><th>name</th><th>meaning</th></tr>
 * <tr><td>{@code outbox.pending.count}</td><td>events that wait for delivery</td></tr>
 * <tr><td>{@code outbox.pending.at.least}</td><td>1 if there are more than that, because counting stopped at the limit; 0 if it is exact</td></tr>
 * <tr><td>{@code outbox.locked.count}</td><td>pending events that belong to a process</td></tr>
 * <tr><td>{@code outbox.dead.count}</td><td>events that are DEAD</td></tr>
 * <tr><td>{@code outbox.dead.at.least}</td><td>1 if there are more than that; 0 if it is exact</td></tr>
 * <tr><td>{@code outbox.held.keys}</td><td>keys that a DEAD event holds, among the DEAD events that were counted</td></tr>
 * </table>
 *
 * <p>The table is read on a thread of its own, after each interval, with two statements for all gauges together, and never because somebody
 * reads the gauges: a scrape never waits for the database, and many scrapes cost no more than one. DEAD events are counted latest first. The
 * gauges are NaN before the first count, and after a count that failed; those of DEAD events also if the store cannot count them.
 *
 * <p>Thread-safe. Nothing happens before {@link #start()}.
 */
public final class BacklogGauges implements AutoCloseable {

    public static final Duration DEFAULT_INTERVAL = Duration.ofSeconds(15);
    public static final int DEFAULT_LIMIT = 10_000;

    private static final Logger LOG = SafeLog.of(BacklogGauges.class);

    private final ConnectionProvider connections;
    private final OutboxStore store;
    private final int limit;
    private final OwnedMeters meters;
    private final PeriodicTask task;
    private volatile @Nullable Look last;

    /** What was found; without the DEAD events if the store cannot count them. */
    private record Look(Backlog backlog, @Nullable DeadCount dead) {}

    private BacklogGauges(Builder builder) {
        this.connections = required(builder.connectionProvider, "connectionProvider");
        this.store = required(builder.outboxStore, "outboxStore");
        this.limit = builder.limit;
        this.task = new PeriodicTask(
                "BacklogGauges", ThreadNames.prefix("backlog", store.tableName()), () -> builder.interval, this::look);
        this.meters = new OwnedMeters(required(builder.registry, "registry"));
        String table = builder.tableOf(store);
        try {
            gauge("outbox.pending.count", table, "Events that wait for delivery", look -> upTo(look.backlog.pending()));
            gauge(
                    "outbox.pending.at.least",
                    table,
                    "1 if more wait than were counted",
                    look -> more(look.backlog.pending()));
            gauge(
                    "outbox.locked.count",
                    table,
                    "Pending events that belong to a process",
                    look -> upTo(look.backlog.locked()));
            dead("outbox.dead.count", table, "Events that are DEAD", dead -> upTo(dead.dead()));
            dead("outbox.dead.at.least", table, "1 if more are DEAD than were counted", dead -> more(dead.dead()));
            dead("outbox.held.keys", table, "Keys that a DEAD event holds", DeadCount::holdingKeys);
        } catch (RuntimeException e) {
            meters.remove();
            throw e;
        }
    }

    /** Starts building gauges. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Starts counting, at once and then after each interval. Starting twice is harmless.
     *
     * @throws IllegalStateException after {@link #close()}
     */
    public void start() {
        task.start();
    }

    /** Stops counting and removes the gauges from the registry. Closing twice is harmless. */
    @Override
    public void close() {
        task.close();
        meters.remove();
    }

    void look() {
        try {
            last = ShortTransaction.run(connections, this::look);
        } catch (SQLException | RuntimeException e) {
            last = null;
            LOG.log(Level.WARNING, "Cannot count the pending events; the next run will try again", LoggedError.of(e));
        }
    }

    /** One more than the limit is counted: that tells whether there are more. */
    private Look look(Connection conn) {
        int most = limit == Integer.MAX_VALUE ? limit : limit + 1;
        return new Look(store.countBacklog(conn, most), countDead(conn, most));
    }

    private @Nullable DeadCount countDead(Connection conn, int most) {
        try {
            return store.countDeadUpTo(conn, most);
        } catch (UnsupportedOperationException e) {
            return null;
        }
    }

    private double upTo(int counted) {
        return Math.min(counted, limit);
    }

    private double more(int counted) {
        return counted > limit ? 1 : 0;
    }

    private void dead(String name, String table, String description, ToDoubleFunction<DeadCount> value) {
        gauge(name, table, description, look -> look.dead == null ? Double.NaN : value.applyAsDouble(look.dead));
    }

    private void gauge(String name, String table, String description, ToDoubleFunction<Look> value) {
        meters.register(Gauge.builder(name, this, gauges -> gauges.read(value))
                .description(description)
                .tag("table", table)
                .strongReference(true)::register);
    }

    private double read(ToDoubleFunction<Look> value) {
        Look known = last;
        return known == null ? Double.NaN : value.applyAsDouble(known);
    }

    private static <T> T required(@Nullable T value, String name) {
        return Objects.requireNonNull(value, name + " is required");
    }

    /** Builds gauges. {@code registry}, {@code connectionProvider} and {@code outboxStore} are required. */
    public static final class Builder {

        private @Nullable MeterRegistry registry;
        private @Nullable ConnectionProvider connectionProvider;
        private @Nullable OutboxStore outboxStore;
        private @Nullable String table;
        private Duration interval = DEFAULT_INTERVAL;
        private int limit = DEFAULT_LIMIT;

        private Builder() {}

        /** Where the gauges are registered. Required. */
        public Builder registry(MeterRegistry registry) {
            this.registry = registry;
            return this;
        }

        /** Where the connections for counting come from, one at a time. Required. */
        public Builder connectionProvider(ConnectionProvider connectionProvider) {
            this.connectionProvider = connectionProvider;
            return this;
        }

        /** The store whose events are counted. Required. */
        public Builder outboxStore(OutboxStore outboxStore) {
            this.outboxStore = outboxStore;
            return this;
        }

        /** The value of the tag {@code table}. Default: {@link OutboxStore#tableName()}. */
        public Builder table(String table) {
            this.table = Objects.requireNonNull(table, "table");
            return this;
        }

        /** The pause between two counts, positive. Default: 15 seconds. */
        public Builder interval(Duration interval) {
            if (interval.isZero() || interval.isNegative()) {
                throw new IllegalArgumentException("interval must be positive, was " + interval);
            }
            this.interval = interval;
            return this;
        }

        /** Where to stop counting, at least 1. Default: {@value #DEFAULT_LIMIT}. */
        public Builder limit(int limit) {
            if (limit < 1) {
                throw new IllegalArgumentException("limit must be >= 1, was " + limit);
            }
            this.limit = limit;
            return this;
        }

        /**
         * Makes the gauges; they are NaN before {@link BacklogGauges#start()}.
         *
         * @throws NullPointerException if a required part is missing
         * @throws IllegalArgumentException if the store does not name its table and none was given
         * @throws IllegalStateException if the registry already has such gauges for the table
         */
        public BacklogGauges build() {
            return new BacklogGauges(this);
        }

        private String tableOf(OutboxStore store) {
            String name = table == null ? store.tableName() : table;
            if (name == null || name.isBlank()) {
                throw new IllegalArgumentException("table must be set, because "
                        + store.getClass().getName() + " does not name its table; call table(…)");
            }
            return name;
        }
    }
}
