package outbox.testing.contract;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.model.OutboxEvent;
import outbox.spi.LeaseStore;
import outbox.spi.LeaseStore.Suspicion;
import outbox.spi.LeaseStore.Taken;
import outbox.testing.StoredEvent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** What the parts of the contract on leases have in common. Their time is the database's, which no test knows. */
interface LeaseTest extends StoreTest {

    /** Due by whatever clock. */
    Instant LONG_AGO = Instant.parse("2020-02-02T02:02:02.020202Z");

    Duration A_MOMENT = Duration.ofSeconds(30);

    /** The leases of the store under test; aborts the test if it has none. */
    default LeaseStore leases() {
        LeaseStore leases = store().leases();
        assumeTrue(leases != null, "the store has no leases");
        return Objects.requireNonNull(leases);
    }

    default EventEnvelope event(String id) {
        return event(id, LONG_AGO);
    }

    default void insertLeased(String owner, EventEnvelope... events) throws SQLException {
        with(conn -> {
            leases().insertLeased(conn, List.of(events), owner);
            return true;
        });
    }

    default List<OutboxEvent> lease(String owner, Duration skipRecent, int limit) throws SQLException {
        return with(conn -> leases().claim(conn, owner, LOCK_TIMEOUT, skipRecent, limit)).stream()
                .map(Taken::event)
                .toList();
    }

    /** What is held against the only event that the owner gets; null if nothing is. */
    default @Nullable Suspicion suspicionOnLease(String owner) throws SQLException {
        List<Taken> taken = with(conn -> leases().claim(conn, owner, LOCK_TIMEOUT, Duration.ZERO, 10));
        assertEquals(1, taken.size());
        return taken.get(0).suspicion();
    }

    default List<String> lease(String owner) throws SQLException {
        return with(conn -> lease(conn, owner, 100));
    }

    default List<String> lease(Connection conn, String owner, int limit) {
        return ids(leases().claim(conn, owner, LOCK_TIMEOUT, Duration.ZERO, limit).stream()
                .map(Taken::event)
                .toList());
    }

    default void letLeasesExpire() throws SQLException {
        fixture().letPass(LOCK_TIMEOUT.plus(A_MOMENT));
    }

    default List<String> held(String... ids) {
        return List.of(ids);
    }

    default List<StoredEvent> findAll(Collection<String> ids) throws SQLException {
        List<StoredEvent> found = new ArrayList<>();
        for (String id : ids) {
            found.add(find(id));
        }
        return found;
    }
}
