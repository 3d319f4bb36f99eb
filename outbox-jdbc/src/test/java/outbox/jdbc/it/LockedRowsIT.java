package outbox.jdbc.it;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.EventEnvelope;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableName;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.spi.LeaseStore;
import outbox.spi.OrderedStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Renewals and claims wait for nobody on databases that can pass over locked rows. Who has locked a row may wait for one that the renewal has
 * locked, or may have been stopped in the middle of its transaction.
 */
@Timeout(60)
class LockedRowsIT {

    private static final TableName TABLE = TableName.of("locked_outbox");
    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    /** A session that would rather fail than wait for long. */
    private record Session(HikariDataSource pool, Connection conn, AbstractJdbcOutboxStore store)
            implements AutoCloseable {

        static Session open(TestedDatabase database) throws SQLException {
            Tables.shipped(database, TABLE.table());
            HikariDataSource pool = database.newPool(2, true);
            Connection conn = pool.getConnection();
            JdbcTemplate.update(
                    conn,
                    database == TestedDatabase.POSTGRESQL
                            ? "SET lock_timeout = '5s'"
                            : "SET innodb_lock_wait_timeout = 5");
            return new Session(pool, conn, database.store(TABLE));
        }

        /** Another transaction, which nobody ends before the session is closed. */
        Connection other() throws SQLException {
            Connection other = pool.getConnection();
            other.setAutoCommit(false);
            return other;
        }

        void lock(Connection other, String eventId) throws SQLException {
            JdbcTemplate.query(
                    other,
                    "SELECT event_id FROM " + TABLE + " WHERE event_id = ? FOR UPDATE",
                    row -> row.getString(1),
                    eventId);
        }

        @Override
        public void close() throws SQLException {
            conn.close();
            pool.close();
        }
    }

    static Stream<Named<TestedDatabase>> databases() {
        return Stream.of(
                Named.of("PostgreSQL", TestedDatabase.POSTGRESQL),
                Named.of("MySQL", TestedDatabase.MYSQL),
                Named.of("MariaDB", TestedDatabase.MARIADB),
                Named.of("MariaDB through MySQL's driver", TestedDatabase.MARIADB_THROUGH_MYSQL_DRIVER));
    }

    private static EventEnvelope event(String id) {
        return event(id, null);
    }

    private static EventEnvelope event(String id, String key) {
        return EventEnvelope.builder("Paid")
                .eventId(id)
                .aggregateId(key)
                .payloadJson("{}")
                .build();
    }

    private static List<String> ids(List<LeaseStore.Taken> events) {
        return events.stream().map(taken -> taken.event().eventId()).toList();
    }

    @ParameterizedTest
    @MethodSource("databases")
    void a_renewal_leaves_out_rows_that_somebody_has_locked_and_does_not_lose_them(TestedDatabase database)
            throws SQLException {
        try (Session session = Session.open(database);
                Connection recorder = session.other()) {
            Connection conn = session.conn();
            LeaseStore leases = session.store().leases();
            leases.insertLeased(conn, List.of(event("a"), event("b"), event("c")), "owner");
            leases.insertLeased(conn, List.of(event("other")), "other");
            List<String> all = List.of("a", "b", "c", "other");
            leases.markDone(recorder, "owner", List.of("a"));

            assertThat(leases.renew(conn, "owner", all)).containsExactlyInAnyOrder("b", "c");
            assertThat(leases.stillHeld(conn, "owner", all)).isEqualTo(Set.of("a", "b", "c"));

            recorder.commit();
            assertThat(leases.renew(conn, "owner", all)).containsExactlyInAnyOrder("b", "c");
            assertThat(leases.stillHeld(conn, "owner", List.of("a", "other"))).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void a_renewal_renews_what_it_says(TestedDatabase database) throws SQLException {
        try (Session session = Session.open(database);
                Connection recorder = session.other()) {
            Connection conn = session.conn();
            LeaseStore leases = session.store().leases();
            leases.insertLeased(conn, List.of(event("a"), event("b"), event("c")), "owner");
            JdbcTemplate.update(conn, "UPDATE " + TABLE + " SET locked_at = '2020-01-01 00:00:00'");
            session.lock(recorder, "a");

            leases.renew(conn, "owner", List.of("a", "b"));

            recorder.rollback();
            assertThat(JdbcTemplate.query(
                            conn,
                            "SELECT event_id FROM " + TABLE + " WHERE locked_at > '2021-01-01 00:00:00'",
                            row -> row.getString(1)))
                    .containsExactly("b");
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void a_claim_passes_over_rows_that_somebody_has_locked(TestedDatabase database) throws SQLException {
        try (Session session = Session.open(database);
                Connection stopped = session.other()) {
            session.store().insertBatch(session.conn(), List.of(event("a"), event("b"), event("c")));
            session.lock(stopped, "a");

            LeaseStore leases = session.store().leases();
            assertThat(ids(leases.claim(session.conn(), "owner", TIMEOUT, Duration.ZERO, 10)))
                    .containsExactly("b", "c");

            stopped.rollback();
            assertThat(ids(leases.claim(session.conn(), "owner", TIMEOUT, Duration.ZERO, 10)))
                    .containsExactly("a");
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void a_claim_in_order_takes_nothing_that_comes_behind_a_locked_row(TestedDatabase database) throws SQLException {
        try (Session session = Session.open(database);
                Connection stopped = session.other()) {
            session.store().insertBatch(session.conn(), List.of(event("a", "k"), event("b", "k"), event("c", "other")));
            session.lock(stopped, "a");

            OrderedStore order = session.store().ordered();
            assertThat(taken(order.claim(session.conn(), "owner", TIMEOUT, Duration.ZERO, 10)))
                    .containsExactly("c");

            stopped.rollback();
            assertThat(taken(order.claim(session.conn(), "owner", TIMEOUT, Duration.ZERO, 10)))
                    .containsExactly("a", "b");
        }
    }

    private static List<String> taken(OrderedStore.Claimed claimed) {
        return claimed.runs().stream()
                .flatMap(run -> run.events().stream())
                .map(taken -> taken.event().eventId())
                .toList();
    }
}
