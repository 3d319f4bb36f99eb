package outbox.testing.contract;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
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

    /** Whether a payload comes back byte for byte as it was written; false for a column type that reformats JSON. */
    default boolean keepsPayloadText() {
        return true;
    }
}
