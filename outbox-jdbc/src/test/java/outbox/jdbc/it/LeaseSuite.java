package outbox.jdbc.it;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.ClockOfReplay;
import outbox.spi.LeaseStore;
import outbox.testing.contract.JdbcStoreFixture;

import static org.assertj.core.api.Assertions.assertThat;

/** That leases go by the time of the database, however its sessions tell it. The contract has everything else. */
@Tag("locale")
abstract class LeaseSuite {

    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    private JdbcStoreFixture table;

    abstract TestedDatabase database();

    @BeforeEach
    void createTable() {
        table = Tables.shipped(database(), "outbox_event");
    }

    /** Else the contract on leases would be aborted, which nobody might notice. */
    @Test
    void the_store_has_leases() {
        assertThat(database().shippedTable().store().leases()).isNotNull();
        assertThat(database().specifiedTable().store().leases()).isNotNull();
    }

    private LeaseStore leases() {
        return table.store().leases();
    }

    private static EventEnvelope event(String id) {
        return EventEnvelope.builder("Tick")
                .eventId(id)
                .occurredAt(Instant.parse("2020-01-01T00:00:00Z"))
                .payloadJson("{}")
                .build();
    }

    private void insertLeased(DataSource pool, String... ids) throws SQLException {
        try (Connection conn = pool.getConnection()) {
            leases().insertLeased(
                            conn, List.of(ids).stream().map(LeaseSuite::event).toList(), "writer");
        }
    }

    private List<String> claim(DataSource pool) throws SQLException {
        try (Connection conn = pool.getConnection()) {
            return leases().claim(conn, "claimer", TIMEOUT, Duration.ZERO, 100).stream()
                    .map(taken -> taken.event().eventId())
                    .toList();
        }
    }

    private Instant lockedAt(String id) throws SQLException {
        return table.find(id).lockedAt();
    }

    @ParameterizedTest
    @ValueSource(strings = {"+05:30", "-08:00"})
    void processes_with_sessions_in_different_time_zones_agree_on_leases(String zone) throws SQLException {
        try (HikariDataSource abroad = database()
                .newPool(1, config -> config.setConnectionInitSql(database().setTimeZone(zone)))) {
            insertLeased(database().pool(), "at home");
            insertLeased(abroad, "abroad");
            insertLeased(abroad, "abroad 1", "abroad 2");

            assertThat(claim(abroad)).isEmpty();
            assertThat(claim(database().pool())).isEmpty();
            for (String id : List.of("abroad", "abroad 1", "abroad 2")) {
                assertThat(lockedAt(id))
                        .isBetween(lockedAt("at home"), lockedAt("at home").plusSeconds(600));
            }
            table.letPass(TIMEOUT.plusSeconds(30));
            assertThat(claim(abroad)).hasSize(4);
            assertThat(claim(database().pool())).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"+05:30", "-08:00"})
    void a_retry_is_due_at_the_same_time_whatever_the_sessions_time_zone(String zone) throws SQLException {
        try (HikariDataSource abroad = database()
                .newPool(1, config -> config.setConnectionInitSql(database().setTimeZone(zone)))) {
            insertLeased(abroad, "e1");
            try (Connection conn = abroad.getConnection()) {
                leases().markRetry(conn, "writer", List.of(new LeaseStore.HeldRetry("e1", 1, TIMEOUT, "later")));
            }

            assertThat(claim(abroad)).isEmpty();
            assertThat(claim(database().pool())).isEmpty();
            table.letPass(TIMEOUT.plusSeconds(30));
            assertThat(claim(database().pool())).containsExactly("e1");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-10, 10})
    void a_replayed_event_is_due_whatever_the_clock_of_its_process(int minutesAhead) throws SQLException {
        AbstractJdbcOutboxStore store = (AbstractJdbcOutboxStore) table.store();
        try (Connection conn = database().pool().getConnection()) {
            store.insertBatch(conn, List.of(event("e1")));
            store.markDead(conn, "e1", "refused");
            Instant skewed = Instant.now().plus(Duration.ofMinutes(minutesAhead));

            assertThat(ClockOfReplay.replay(conn, store, "e1", skewed)).isEqualTo(1);
        }

        assertThat(claim(database().pool())).containsExactly("e1");
    }

    @Test
    void a_lease_taken_late_in_a_transaction_is_as_old_as_its_statement() throws SQLException {
        try (Connection conn = database().pool().getConnection()) {
            conn.setAutoCommit(false);
            leases().insertLeased(conn, List.of(event("early")), "writer");
            insertLeased(database().pool(), "meanwhile");
            leases().insertLeased(conn, List.of(event("late")), "writer");
            conn.commit();
            conn.setAutoCommit(true);
        }

        if (database().timeStandsStillInTransaction()) {
            assertThat(lockedAt("late")).isEqualTo(lockedAt("early"));
        } else {
            assertThat(lockedAt("late")).isAfterOrEqualTo(lockedAt("meanwhile"));
        }
    }
}
