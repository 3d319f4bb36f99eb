package outbox.spi;

import java.sql.Connection;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Deletes finished events. Never touches a pending one. */
@FunctionalInterface
public interface EventPurger {

    /**
     * Deletes events that ended (DONE or DEAD) before the given time, on the caller's connection and in its transaction.
     *
     * @param limit the most rows to delete, which bounds how long their locks are held
     * @return how many rows were deleted; it may be fewer than the limit because others have locked some of them
     */
    int purge(Connection conn, Instant before, int limit);

    /**
     * Runs that skip locked rows, treat DONE and DEAD separately and show events before deleting them.
     *
     * @return null, the default, if there is only {@link #purge}: then a batch that is not full ends a run
     */
    default @Nullable PurgeRuns runs() {
        return null;
    }

    /** The table whose events it deletes, for the names of threads and for log lines; null, the default, if it is not known. */
    default @Nullable String purgedTable() {
        return null;
    }
}
