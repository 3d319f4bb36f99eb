package outbox.jdbc.purge;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import outbox.internal.text.SafeLog;
import outbox.internal.transaction.ShortTransaction;
import outbox.jdbc.OutboxStoreException;
import outbox.spi.ConnectionProvider;
import outbox.spi.PurgeRuns;

/**
 * One pass over a table in partitions: creates what is missing, then ends each partition whose time is over, then deletes what has expired
 * in the default partition.
 */
final class PartitionRun implements PurgeRuns.Run {

    private static final Logger LOG = SafeLog.of(PartitionRun.class);

    private final PostgresPartitionPurger purger;
    private final PurgeRuns.Expiry expiry;
    private final PurgeRuns.@Nullable BeforeDelete beforeDelete;
    private final Deque<PurgeRuns.Run> steps = new ArrayDeque<>();

    PartitionRun(
            PostgresPartitionPurger purger, PurgeRuns.Expiry expiry, PurgeRuns.@Nullable BeforeDelete beforeDelete) {
        this.purger = purger;
        this.expiry = expiry;
        this.beforeDelete = beforeDelete;
        this.steps.add(this::prepare);
    }

    @Override
    public PurgeRuns.Batch next(ConnectionProvider connections, int limit) throws SQLException {
        PurgeRuns.Batch batch = steps.element().next(connections, limit);
        if (!batch.more()) {
            steps.remove();
        }
        return new PurgeRuns.Batch(batch.deleted(), !steps.isEmpty(), batch.position());
    }

    private PurgeRuns.Batch prepare(ConnectionProvider connections, int limit) throws SQLException {
        createAhead(connections);
        for (Partition partition :
                ShortTransaction.run(connections, conn -> purger.catalog().partitions(conn))) {
            if (partition.range() == null) {
                steps.addLast(deletion(partition));
            } else if (isOver(partition.range())) {
                steps.add(end(partition, partition.range()));
            }
        }
        return new PurgeRuns.Batch(0, false, null);
    }

    /** Purging matters as much: a table that cannot get partitions must not fill up as well. */
    private void createAhead(ConnectionProvider connections) {
        try {
            purger.createPartitions(connections);
        } catch (OutboxStoreException e) {
            LOG.log(
                    Level.ERROR,
                    "Cannot create partitions ahead; events of times without one go to the default partition",
                    e);
        }
    }

    /** Whether all events of the range may have expired. */
    private boolean isOver(TimeRange range) {
        Instant latest = expiry.doneBefore();
        if (expiry.deadBefore() != null && expiry.deadBefore().isAfter(latest)) {
            latest = expiry.deadBefore();
        }
        return !range.to().isAfter(latest);
    }

    /** Late ones have as long again as the partition is before it is emptied by deletion. */
    private ExpiredPartition end(Partition partition, TimeRange range) {
        boolean overdue = !range.to().plus(range.length()).isAfter(expiry.doneBefore());
        return new ExpiredPartition(
                purger.dropper(),
                purger.rows(),
                partition,
                new ExpiredPartition.Expired(expiry, beforeDelete, overdue));
    }

    private PurgeRuns.Run deletion(Partition partition) {
        ExpiredRows expired = new ExpiredRows(purger.rows().dialect(), partition.name(), expiry, beforeDelete);
        return (connections, limit) -> purger.rows().next(expired, connections, limit);
    }
}
