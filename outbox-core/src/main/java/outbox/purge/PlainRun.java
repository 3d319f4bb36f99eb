package outbox.purge;

import java.sql.SQLException;
import java.time.Instant;
import outbox.internal.transaction.ShortTransaction;
import outbox.spi.ConnectionProvider;
import outbox.spi.EventPurger;
import outbox.spi.PurgeRuns;

/** A run of a purger that does not support runs: it ends with the first batch that is not full. */
final class PlainRun implements PurgeRuns.Run {

    private final EventPurger purger;
    private final Instant before;

    PlainRun(EventPurger purger, Instant before) {
        this.purger = purger;
        this.before = before;
    }

    @Override
    public PurgeRuns.Batch next(ConnectionProvider connections, int limit) throws SQLException {
        int deleted = ShortTransaction.run(connections, conn -> purger.purge(conn, before, limit));
        return new PurgeRuns.Batch(deleted, deleted >= limit, null);
    }
}
