package outbox.jdbc.it;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.spi.LeaseStore;
import outbox.spi.LeaseStore.Held;

import static org.assertj.core.api.Assertions.assertThat;

/** On PostgreSQL a renewal waits for nobody: who holds some rows and waits for others may be waited for. */
@Timeout(60)
class PostgresRenewalIT {

    private final TestedDatabase database = TestedDatabase.POSTGRESQL;
    private final DataSource pool = database.pool();
    private final AbstractJdbcOutboxStore store = database.store(TableName.of("renewed_outbox"));
    private final LeaseStore leases = store.leases();

    private static EventEnvelope event(String id) {
        return EventEnvelope.builder("Paid").eventId(id).payloadJson("{}").build();
    }

    @Test
    void rows_that_somebody_has_locked_are_left_out_and_not_lost() throws SQLException {
        Tables.shipped(database, "renewed_outbox");
        try (Connection conn = pool.getConnection();
                Connection recorder = pool.getConnection()) {
            leases.insertLeased(conn, List.of(event("a"), event("b"), event("c")), "owner");
            leases.insertLeased(conn, List.of(event("other")), "other");
            List<String> all = List.of("a", "b", "c", "other");
            JdbcTemplate.update(conn, "SET statement_timeout = '10s'");
            recorder.setAutoCommit(false);
            leases.markDone(recorder, "owner", List.of(new Held("a", 0)));

            assertThat(leases.renew(conn, "owner", all)).containsExactlyInAnyOrder("b", "c");
            assertThat(leases.stillHeld(conn, "owner", all)).isEqualTo(Set.of("a", "b", "c"));

            recorder.commit();
            assertThat(leases.renew(conn, "owner", all)).containsExactlyInAnyOrder("b", "c");
            assertThat(leases.stillHeld(conn, "owner", List.of("a", "other"))).isEmpty();
            recorder.setAutoCommit(true);
            JdbcTemplate.update(conn, "RESET statement_timeout");
        }
    }
}
