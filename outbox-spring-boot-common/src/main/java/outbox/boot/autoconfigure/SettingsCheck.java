package outbox.boot.autoconfigure;

import java.time.Duration;
import outbox.OutboxBuilder;
import outbox.boot.InvalidOutboxException;
import outbox.jdbc.TableName;

/** Refuses values that cannot work, by the names of their properties. */
final class SettingsCheck {

    private static final Duration LONGEST = Duration.ofDays(36_500);
    private static final int MOST = 100_000;

    private final String prefix;

    private SettingsCheck(String prefix) {
        this.prefix = prefix;
    }

    /** @param prefix where the settings stand: {@code outbox} or below {@code outbox.more} */
    static void check(String prefix, OutboxSettings settings) {
        new SettingsCheck(prefix).all(settings);
    }

    /** Those that are the application's, and not of one outbox. */
    static void checkInbox(OutboxProperties properties) {
        SettingsCheck check = new SettingsCheck("outbox.inbox");
        check.table(properties.getInbox().getTable());
        check.between("retention", Duration.ofMillis(1), properties.getInbox().getRetention());
    }

    private void all(OutboxSettings settings) {
        table(settings.getTable());
        relay(settings.getRelay());
        between("retry.first-delay", Duration.ofMillis(1), settings.getRetry().getFirstDelay());
        between(
                "retry.longest-delay",
                settings.getRetry().getFirstDelay(),
                settings.getRetry().getLongestDelay());
        between("cleaner.retention", Duration.ZERO, settings.getCleaner().getRetention());
        Duration dead = settings.getCleaner().getDeadRetention();
        if (dead != null) {
            between("cleaner.dead-retention", Duration.ZERO, dead);
        }
        between(
                "health.oldest-pending",
                Duration.ofMillis(1),
                settings.getHealth().getOldestPending());
        Long limit = settings.getPendingLimit();
        if (limit != null) {
            require(limit >= 1 && limit <= 1_000_000_000, "pending-limit", "between 1 and 1000000000", limit);
        }
    }

    private void relay(RelaySettings relay) {
        between("relay.poll-interval", Duration.ofMillis(1), relay.getPollInterval());
        count("relay.batch-size", relay.getBatchSize());
        between("relay.lock-ttl", OutboxBuilder.SHORTEST_LEASE, relay.getLockTtl());
        count("relay.max-attempts", relay.getMaxAttempts());
        count("relay.workers", relay.getWorkers());
        count("relay.virtual-threads", relay.getVirtualThreads());
        Duration drain = relay.getDrainTimeout();
        if (drain != null) {
            between("relay.drain-timeout", Duration.ZERO, drain);
        }
    }

    private void table(String table) {
        try {
            tableName(table);
        } catch (IllegalArgumentException e) {
            throw new InvalidOutboxException(
                    prefix + ".table must be the name of a table, was \"" + table + "\" (" + e.getMessage() + ")",
                    "give a plain name, with its schema and a dot before it if need be");
        }
    }

    /** A name with or without its schema. */
    static TableName tableName(String table) {
        int dot = table.indexOf('.');
        return dot < 0 ? TableName.of(table) : TableName.of(table.substring(0, dot), table.substring(dot + 1));
    }

    private void count(String property, int value) {
        require(value >= 1 && value <= MOST, property, "between 1 and " + MOST, value);
    }

    private void between(String property, Duration least, Duration value) {
        require(
                value.compareTo(least) >= 0 && value.compareTo(LONGEST) <= 0,
                property,
                "between " + text(least) + " and " + LONGEST.toDays() + "d",
                text(value));
    }

    /** As people write it. */
    private static String text(Duration duration) {
        if (duration.toMillis() % 1000 != 0) {
            return duration.toMillis() + "ms";
        }
        return duration.toSeconds() + "s";
    }

    private void require(boolean right, String property, String rule, Object value) {
        if (!right) {
            throw new InvalidOutboxException(
                    prefix + "." + property + " must be " + rule + ", was " + value,
                    "correct it, or leave it out for the default");
        }
    }
}
