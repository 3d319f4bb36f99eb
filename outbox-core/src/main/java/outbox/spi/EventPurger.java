package outbox.spi;

import java.sql.Connection;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Deletes finished events. Never touches one that is still to be delivered. */
@FunctionalInterface
public interface EventPurger {

    /**
     * Deletes events that ended (DONE or DEAD) before the given time, on the caller's connection and in its transaction.
     *
     * @param limit the most rows to delete, which bounds how long their locks are held
     * @return how many rows were deleted; less than the limit also if others have locked some of them
     */
    int purge(Connection conn, Instant before, int limit);

    /**
     * Runs that pass over what others have locked, tell DONE from DEAD and show events before they are deleted.
     *
     * @return null, the default, if there is nothing but {@link #purge}: then a batch that is not full ends a run
     */
    default @Nullable PurgeRuns runs() {
        return null;
    }

    /** The table whose events it deletes, for the names of threads and for log lines; null, the default, if it is not known. */
    default @Nullable String purgedTable() {
        return null;
    }
}
