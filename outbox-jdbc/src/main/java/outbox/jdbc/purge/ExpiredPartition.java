package outbox.jdbc.purge;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import outbox.internal.text.SafeLog;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.purge.PartitionDropper.Drop;
import outbox.jdbc.purge.PartitionDropper.Outcome;
import outbox.spi.ConnectionProvider;
import outbox.spi.PurgeRuns;

/**
 * The end of one partition whose time is over. It is dropped as a whole or, if it is to be emptied, event by event before.
 *
 * <p>Emptied is what has something in it that must stay though all of it should be gone by now; and what is to be archived, because an
 * archive of a whole partition would hold the lock on the table for as long as that takes.
 */
final class ExpiredPartition implements PurgeRuns.Run {

    private static final Logger LOG = SafeLog.of(ExpiredPartition.class);

    /** How often a partition is tried that others hold; the scheduler rests in between. */
    private static final int TRIES = 5;

    private final PartitionDropper dropper;
    private final PostgresEventPurger rows;
    private final Partition partition;
    private final Expired expired;
    private @Nullable ExpiredRows emptying;
    private int tries;

    /**
     * What is to become of it.
     *
     * @param emptyIfKept whether it has been kept for so long that expired events in it are deleted one by one
     */
    record Expired(PurgeRuns.Expiry expiry, PurgeRuns.@Nullable BeforeDelete beforeDelete, boolean emptyIfKept) {}

    ExpiredPartition(PartitionDropper dropper, PostgresEventPurger rows, Partition partition, Expired expired) {
        this.dropper = dropper;
        this.rows = rows;
        this.partition = partition;
        this.expired = expired;
    }

    @Override
    public PurgeRuns.Batch next(ConnectionProvider connections, int limit) throws SQLException {
        ExpiredRows left = emptying;
        if (left != null && left.hasMore()) {
            return empty(left, connections, limit);
        }
        Drop drop = expired.beforeDelete == null
                ? dropper.dropIfExpired(connections, partition, expired.expiry)
                : dropper.dropIfEmpty(connections, partition);
        return batch(drop.rows(), goesOn(drop.outcome()));
    }

    private boolean goesOn(Outcome outcome) {
        if (outcome == Outcome.BUSY) {
            return triesAgain();
        }
        if (outcome == Outcome.KEPT && emptying == null && (expired.emptyIfKept || expired.beforeDelete != null)) {
            emptying = new ExpiredRows(rows.dialect(), partition.name(), expired.expiry, expired.beforeDelete);
            return true;
        }
        return false;
    }

    private boolean triesAgain() {
        boolean again = ++tries < TRIES;
        if (!again) {
            LOG.log(Level.INFO, "Partition {0} is in use; the next run tries to drop it again", partition.name());
        }
        return again;
    }

    private PurgeRuns.Batch empty(ExpiredRows left, ConnectionProvider connections, int limit) throws SQLException {
        try {
            return batch(rows.next(left, connections, limit).deleted(), true);
        } catch (OutboxStoreException e) {
            if (PartitionDropper.isGone(e.getCause())) {
                return batch(0, false);
            }
            throw e;
        }
    }

    private PurgeRuns.Batch batch(long deleted, boolean more) {
        return new PurgeRuns.Batch(deleted, more, "partition " + partition.name());
    }
}
