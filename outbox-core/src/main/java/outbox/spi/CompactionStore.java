package outbox.spi;

import java.sql.Connection;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a store does for types of which only the newest event of a key matters. Newer is what was inserted later; only what is committed counts, and
 * only what is not delayed any more. As in
 * {@link LeaseStore}, whose leases this relies on, connections belong to the caller, and a store commits only a transaction that it began itself.
 */
public interface CompactionStore {

    /** The events of one type and key. */
    record Line(String aggregateType, String aggregateId, String eventType) {}

    /**
     * How a pending event stands among those of its type and key.
     *
     * @param superseded whether a newer one is pending, or its row was told that one was about to be delivered
     * @param olderWait whether older ones are pending
     */
    record Place(boolean superseded, boolean olderWait) {}

    /** How these events stand; those that are not there are missing. */
    Map<String, Place> places(Connection conn, Collection<String> eventIds);

    /**
     * Ends, as DONE, those pending events of a line that are superseded, as far as nobody has leased them: these have not begun, or are to be
     * repeated. In autocommit mode that is committed on return.
     *
     * @param tellsLeased whether the rows of those that somebody has leased, and that are suspected of nothing, say that they are superseded. For
     *     who is about to deliver the newest one: once that has ended, nobody would know any more
     * @return how many were ended
     */
    int sweep(Connection conn, Line line, boolean tellsLeased);

    /**
     * Marks events DONE that were superseded, says so in their rows, and ends their leases. Returns the ids of those that the owner no longer held,
     * which are unchanged.
     */
    Set<String> markSuperseded(Connection conn, String ownerId, List<String> eventIds);

    /** As {@link LeaseStore#markRetry}; a row that was told that it is superseded goes on to say so. */
    Set<String> markRetry(Connection conn, String ownerId, List<LeaseStore.HeldRetry> retries);

    /** Checks that the table has what this needs, and throws an exception that names what is missing and how to get it. */
    void checkSchema(Connection conn);
}
