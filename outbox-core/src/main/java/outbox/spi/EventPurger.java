package outbox.spi;

import java.sql.Connection;
import java.time.Instant;

/** Deletes finished events. Never touches one that is still to be delivered. */
@FunctionalInterface
public interface EventPurger {

    /**
     * Deletes events that ended (DONE or DEAD) before the given time, on the caller's connection and in its transaction.
     *
     * @param limit the most rows to delete, which bounds how long their locks are held
     * @return how many rows were deleted
     */
    int purge(Connection conn, Instant before, int limit);
}
