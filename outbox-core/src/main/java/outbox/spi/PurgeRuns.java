package outbox.spi;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.model.OutboxEvent;

/**
 * Purges in runs of many small transactions, with a retention for each status, and shows events before it deletes them. Thread-safe; a
 * {@link Run} is used by one thread.
 */
@FunctionalInterface
public interface PurgeRuns {

    /**
     * Begins a run over all events that have expired by now. Does not touch the database yet.
     *
     * @param beforeDelete sees all events before they are deleted; null if nobody needs to
     */
    Run begin(Expiry expiry, @Nullable BeforeDelete beforeDelete);

    /** One pass over all expired events. It ends even if some of them cannot be deleted now. */
    @FunctionalInterface
    interface Run {

        /**
         * Deletes the next events, in transactions of its own that have ended when this returns. Skips locked rows, which are left for
         * another run.
         *
         * @param limit the most events to delete one by one in a transaction
         */
        Batch next(ConnectionProvider connections, int limit) throws SQLException;
    }

    /**
     * Which events have expired: those that ended before these times.
     *
     * @param doneBefore for DONE events
     * @param deadBefore for DEAD events; null to keep them for ever
     */
    record Expiry(Instant doneBefore, @Nullable Instant deadBefore) {

        public Expiry {
            Objects.requireNonNull(doneBefore, "doneBefore");
        }

        /** The same time for both. */
        public static Expiry of(Instant before) {
            return new Expiry(before, before);
        }
    }

    /**
     * A step of a run.
     *
     * @param deleted how many events were deleted; may be fewer than the limit although there are more
     * @param more whether the run goes on
     * @param position how far the run has come, in words for the log; null if there is nothing to say
     */
    record Batch(long deleted, boolean more, @Nullable String position) {}

    /** Sees events in the transaction that deletes them. */
    @FunctionalInterface
    interface BeforeDelete {

        /** Looks at events that are locked and still there. If this throws, the transaction is rolled back. */
        void see(Connection conn, List<OutboxEvent> events) throws SQLException;
    }
}
