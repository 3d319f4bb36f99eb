package outbox.jdbc.purge;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableName;
import outbox.spi.ConnectionProvider;
import outbox.spi.EventPurger;
import outbox.spi.PurgeRuns;

/**
 * Purges an outbox in PostgreSQL that was created with {@code schema/postgresql-partitioned.sql}: partitions whose events have all expired
 * are dropped, which costs next to nothing, and partitions for the time to come are created. Thread-safe.
 *
 * <p>A partition with an event that must stay, because it is to be delivered, holds its key or is too young, is never dropped; once its
 * time is well over, what has expired in it is deleted as from any table. So are events in the default partition, whose ids are no ULIDs,
 * and so is everything if there is an archive.
 *
 * <p>Give it to {@code OutboxPurgeScheduler} as its purger, with connections of the table's owner. Each run creates and drops what is
 * due. {@link #purge} alone only deletes.
 */
public final class PostgresPartitionPurger implements EventPurger {

    public static final Duration DEFAULT_PARTITION_LENGTH = Duration.ofDays(1);
    public static final int DEFAULT_PARTITIONS_AHEAD = 7;
    public static final Duration DEFAULT_LOCK_TIMEOUT = Duration.ofMillis(200);

    private final PostgresEventPurger rows;
    private final PartitionCatalog catalog;
    private final PartitionCreator creator;
    private final PartitionDropper dropper;

    private PostgresPartitionPurger(Builder builder) {
        ShortLocks locks = new ShortLocks(builder.lockTimeout);
        this.rows = PostgresEventPurger.on(builder.table);
        this.catalog = new PartitionCatalog(builder.table);
        this.creator = new PartitionCreator(builder, locks);
        this.dropper = new PartitionDropper(builder.table, locks);
    }

    /** Starts the description of a purger. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Creates the partitions of now and ahead that are missing. Each run begins with this; call it when an application starts to have them
     * before the first event. Several processes may do so at once.
     *
     * @return whether all are there; false if others held locks for too long
     * @throws OutboxStoreException if the table is not partitioned, or the database refuses
     */
    public boolean createPartitions(ConnectionProvider connections) {
        try {
            return creator.createAhead(connections);
        } catch (SQLException e) {
            throw new OutboxStoreException("Cannot create partitions of table " + rows.table(), e);
        }
    }

    /** Deletes events one by one, whatever their partition; creates and drops nothing. */
    @Override
    public int purge(Connection conn, Instant before, int limit) {
        return rows.purge(conn, before, limit);
    }

    @Override
    public PurgeRuns runs() {
        return (expiry, beforeDelete) -> new PartitionRun(this, expiry, beforeDelete);
    }

    @Override
    public String purgedTable() {
        return rows.purgedTable();
    }

    PostgresEventPurger rows() {
        return rows;
    }

    PartitionCatalog catalog() {
        return catalog;
    }

    PartitionDropper dropper() {
        return dropper;
    }

    /** Describes a purger. Everything has a default. */
    public static final class Builder {

        /** PostgreSQL cuts longer names off, and a partition's name is that of its table with its time. */
        private static final int LONGEST_TABLE_NAME = 63 - "_p202601012359".length();

        TableName table = TableName.DEFAULT;
        Duration partitionLength = DEFAULT_PARTITION_LENGTH;
        int partitionsAhead = DEFAULT_PARTITIONS_AHEAD;
        Duration lockTimeout = DEFAULT_LOCK_TIMEOUT;
        Clock clock = Clock.systemUTC();

        private Builder() {}

        /** The partitioned table; its name may have 49 characters. Default: {@code outbox_event}. */
        public Builder table(TableName table) {
            int length = table.table().length();
            if (length > LONGEST_TABLE_NAME) {
                throw new IllegalArgumentException("The name of a table in partitions must be at most "
                        + LONGEST_TABLE_NAME + " characters, was " + length + ": \"" + table.table() + "\"");
            }
            this.table = table;
            return this;
        }

        /**
         * The time that one partition covers, in whole minutes. Ranges begin at midnight UTC if a day is a multiple of it. Default: a day.
         */
        public Builder partitionLength(Duration partitionLength) {
            if (partitionLength.compareTo(Duration.ofMinutes(1)) < 0
                    || !partitionLength.equals(Duration.ofMinutes(partitionLength.toMinutes()))) {
                throw new IllegalArgumentException(
                        "partitionLength must be whole minutes and at least one, was " + partitionLength);
            }
            this.partitionLength = partitionLength;
            return this;
        }

        /**
         * How many partitions are created beyond that of now: as many runs may fail, or be missed, before events go to the default
         * partition. Default: {@value #DEFAULT_PARTITIONS_AHEAD}.
         */
        public Builder partitionsAhead(int partitionsAhead) {
            if (partitionsAhead < 1) {
                throw new IllegalArgumentException("partitionsAhead must be >= 1, was " + partitionsAhead);
            }
            this.partitionsAhead = partitionsAhead;
            return this;
        }

        /**
         * How long to wait for the lock on a table; meanwhile others wait behind. A partition that cannot be locked is tried again.
         * Default: 200 milliseconds.
         */
        public Builder lockTimeout(Duration lockTimeout) {
            if (lockTimeout.toMillis() < 1) {
                throw new IllegalArgumentException("lockTimeout must be at least a millisecond, was " + lockTimeout);
            }
            this.lockTimeout = lockTimeout;
            return this;
        }

        /** Tells for which time partitions are needed. Default: the system's clock. */
        public Builder clock(Clock clock) {
            this.clock = Objects.requireNonNull(clock, "clock");
            return this;
        }

        /** Makes the purger. */
        public PostgresPartitionPurger build() {
            return new PostgresPartitionPurger(this);
        }
    }
}
