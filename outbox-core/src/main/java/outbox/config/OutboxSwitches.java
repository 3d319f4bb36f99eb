package outbox.config;

import java.time.Duration;
import java.util.Map;

/**
 * What an operator can switch from outside, by environment variables. This is the only class that reads them, and nothing uses it
 * automatically: an application passes the values to the parts that it builds. Immutable.
 *
 * <table>
 * <caption>Variables</caption>
 * <tr><th>variable</th><th>default</th><th>meaning</th></tr>
 * <tr><td>{@value #RELAY_ENABLED}</td><td>true</td><td>whether this process polls and delivers; if not, events stay in the table</td></tr>
 * <tr><td>{@value #RELAY_POLL_INTERVAL}</td><td>1s</td><td>pause between two polls</td></tr>
 * <tr><td>{@value #RELAY_BATCH_SIZE}</td><td>100</td><td>events per poll</td></tr>
 * <tr><td>{@value #RELAY_LOCK_TTL}</td><td>60s</td><td>how long a lease lasts unless it is renewed</td></tr>
 * <tr><td>{@value #RELAY_MAX_ATTEMPTS}</td><td>25</td><td>failures that make an event DEAD</td></tr>
 * <tr><td>{@value #CLEANER_ENABLED}</td><td>true</td><td>whether this process purges finished events</td></tr>
 * <tr><td>{@value #CLEANER_RETENTION}</td><td>168h</td><td>how long finished events are kept</td></tr>
 * <tr><td>{@value #CLEANER_DEAD_ENABLED}</td><td>false</td><td>whether DEAD events are purged too; if not, they are kept until somebody acts</td></tr>
 * </table>
 *
 * <p>Durations are written as {@code 500ms}, {@code 1m30s}, {@code 168h} (units ns, us, ms, s, m, h) or in ISO 8601 form as
 * {@code PT1M30S}. A blank variable counts as not set.
 */
public final class OutboxSwitches {

    /** The variable that turns polling and delivery on and off. */
    public static final String RELAY_ENABLED = "OUTBOX_RELAY_ENABLED";
    /** The variable with the pause between two polls. */
    public static final String RELAY_POLL_INTERVAL = "OUTBOX_RELAY_POLL_INTERVAL";
    /** The variable with the number of events per poll. */
    public static final String RELAY_BATCH_SIZE = "OUTBOX_RELAY_BATCH_SIZE";
    /** The variable with the time that an unrenewed lease lasts. */
    public static final String RELAY_LOCK_TTL = "OUTBOX_RELAY_LOCK_TTL";
    /** The variable with the number of failures that make an event DEAD. */
    public static final String RELAY_MAX_ATTEMPTS = "OUTBOX_RELAY_MAX_ATTEMPTS";
    /** The variable that turns the purge on and off. */
    public static final String CLEANER_ENABLED = "OUTBOX_CLEANER_ENABLED";
    /** The variable with the time that finished events are kept. */
    public static final String CLEANER_RETENTION = "OUTBOX_CLEANER_RETENTION";
    /** The variable that turns the purge of DEAD events on and off. */
    public static final String CLEANER_DEAD_ENABLED = "OUTBOX_CLEANER_DEAD_ENABLED";

    public static final boolean DEFAULT_RELAY_ENABLED = true;
    public static final Duration DEFAULT_POLL_INTERVAL = Duration.ofSeconds(1);
    public static final int DEFAULT_BATCH_SIZE = 100;
    public static final Duration DEFAULT_LOCK_TTL = Duration.ofMinutes(1);
    public static final int DEFAULT_MAX_ATTEMPTS = 25;
    public static final boolean DEFAULT_CLEANER_ENABLED = true;
    public static final Duration DEFAULT_RETENTION = Duration.ofDays(7);
    public static final boolean DEFAULT_CLEANER_DEAD_ENABLED = false;

    private static final Duration ONE_MILLISECOND = Duration.ofMillis(1);

    private final boolean relayEnabled;
    private final Duration pollInterval;
    private final int batchSize;
    private final Duration lockTtl;
    private final int maxAttempts;
    private final boolean cleanerEnabled;
    private final Duration retention;
    private final boolean cleanerDeadEnabled;

    private OutboxSwitches(Variables variables) {
        this.relayEnabled = variables.flag(RELAY_ENABLED, DEFAULT_RELAY_ENABLED);
        this.pollInterval = variables.duration(RELAY_POLL_INTERVAL, DEFAULT_POLL_INTERVAL, ONE_MILLISECOND);
        this.batchSize = variables.count(RELAY_BATCH_SIZE, DEFAULT_BATCH_SIZE);
        this.lockTtl = variables.duration(RELAY_LOCK_TTL, DEFAULT_LOCK_TTL, ONE_MILLISECOND);
        this.maxAttempts = variables.count(RELAY_MAX_ATTEMPTS, DEFAULT_MAX_ATTEMPTS);
        this.cleanerEnabled = variables.flag(CLEANER_ENABLED, DEFAULT_CLEANER_ENABLED);
        this.retention = variables.duration(CLEANER_RETENTION, DEFAULT_RETENTION, Duration.ZERO);
        this.cleanerDeadEnabled = variables.flag(CLEANER_DEAD_ENABLED, DEFAULT_CLEANER_DEAD_ENABLED);
        variables.refuseUnknown();
    }

    /**
     * Reads the environment of this process.
     *
     * @throws IllegalArgumentException as {@link #from(Map)} does
     */
    public static OutboxSwitches fromEnvironment() {
        return from(System.getenv());
    }

    /**
     * Reads the given variables; those that begin neither with {@code OUTBOX_RELAY_} nor with {@code OUTBOX_CLEANER_} are ignored.
     *
     * @throws IllegalArgumentException if a value is not valid for its variable, or a variable with one of those prefixes is unknown: a
     *     misspelt switch would otherwise leave something on that somebody believes to be off. Variables that Kubernetes sets for a
     *     service named {@code outbox-relay} or {@code outbox-cleaner} are accepted.
     */
    public static OutboxSwitches from(Map<String, String> variables) {
        return new OutboxSwitches(new Variables(variables));
    }

    /** Whether this process polls and delivers. */
    public boolean relayEnabled() {
        return relayEnabled;
    }

    /** The pause between two polls, at least a millisecond. */
    public Duration pollInterval() {
        return pollInterval;
    }

    /** The number of events per poll, at least 1. */
    public int batchSize() {
        return batchSize;
    }

    /** How long a lease lasts unless it is renewed, at least a millisecond. */
    public Duration lockTtl() {
        return lockTtl;
    }

    /** How many failures make an event DEAD, at least 1. */
    public int maxAttempts() {
        return maxAttempts;
    }

    /** Whether this process purges finished events. */
    public boolean cleanerEnabled() {
        return cleanerEnabled;
    }

    /** How long finished events are kept, not negative. */
    public Duration retention() {
        return retention;
    }

    /** Whether this process purges DEAD events too, if it purges at all. */
    public boolean cleanerDeadEnabled() {
        return cleanerDeadEnabled;
    }

    /** All values, for a log line at startup. */
    @Override
    public String toString() {
        return "OutboxSwitches[relayEnabled=" + relayEnabled + ", pollInterval=" + pollInterval + ", batchSize="
                + batchSize + ", lockTtl=" + lockTtl + ", maxAttempts=" + maxAttempts + ", cleanerEnabled="
                + cleanerEnabled + ", retention=" + retention + ", cleanerDeadEnabled=" + cleanerDeadEnabled + "]";
    }
}
