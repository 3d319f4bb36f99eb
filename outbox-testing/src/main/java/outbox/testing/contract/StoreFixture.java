package outbox.testing.contract;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.spi.EventPurger;
import outbox.spi.OutboxStore;
import outbox.testing.StoredEvent;

/** What the contract needs to know about the store under test. */
public interface StoreFixture {

    /** The store under test. */
    OutboxStore store();

    /** The purger of the same table. */
    EventPurger purger();

    /** Opens a new connection in autocommit mode; several may be open at once. */
    Connection connect() throws SQLException;

    /** Reads the committed state of an event, or null if there is none, without using the store. */
    @Nullable
    StoredEvent find(String eventId) throws SQLException;

    /** Empties the table. */
    void clear() throws SQLException;

    /**
     * Does as if the given time had passed for all events in the table: whatever happened to them happened that much earlier, and what
     * they wait for is that much nearer. Needed for {@linkplain OutboxStore#leases() leases} only, whose time the test cannot set.
     *
     * @throws UnsupportedOperationException if the fixture cannot; the default
     */
    default void letPass(Duration time) throws SQLException {
        throw new UnsupportedOperationException(getClass().getName() + " does not override letPass");
    }

    /** Whether the table counts the inserts, so that receipts can tell the sequence of an event. */
    default boolean hasSequence() {
        return true;
    }

    /**
     * Whether two transactions can write at the same time. False for a database that lets one after the other write: then tests that would
     * need two are aborted, and their reports say what was not shown.
     */
    default boolean writesConcurrently() {
        return true;
    }

    /** Whether the table keeps payloads that are not text. By default if the store does; false for a table of a version that has no columns for them. */
    default boolean keepsBytes() {
        return store().canKeepBytes();
    }

    /** The most bytes of a payload that a transformer has made, which may have added something to the largest one. */
    default int mostTransformedBytes() {
        return EventEnvelope.MAX_PAYLOAD_BYTES + 65_536;
    }

    /** Whether a payload comes back byte for byte as it was written; false for a column type that reformats JSON. */
    default boolean keepsPayloadText() {
        return true;
    }
}
