package outbox.purge;

import java.sql.Connection;
import java.util.List;
import outbox.model.OutboxEvent;

/**
 * Keeps events elsewhere before they are purged.
 *
 * <p>It is called in the transaction that deletes the events. What it writes with the given connection is committed together with the
 * deletion, so a table in the same database gets each event exactly once. Another system gets each event at least once: if the transaction
 * fails after the call, it gets the event again.
 *
 * <p>The rows are locked and still there. What an {@link OutboxEvent} does not carry, such as status, end and last error, can be read or
 * copied by id with the given connection.
 */
@FunctionalInterface
public interface EventArchive {

    /**
     * Keeps the events. Called by one thread at a time for each scheduler.
     *
     * @param conn the connection whose transaction deletes the events; must not be committed, rolled back or closed here
     * @param events at least one, at most a batch
     * @throws Exception if they could not be kept: then nothing is deleted, the run ends and the next one tries again
     */
    void archive(Connection conn, List<OutboxEvent> events) throws Exception;
}
