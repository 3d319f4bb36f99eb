package outbox.jdbc.it;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.jdbc.JdbcTemplate;
import outbox.spi.LeaseStore;
import outbox.spi.OrderedStore;
import outbox.testing.contract.JdbcStoreFixture;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * PostgreSQL plans a prepared statement again and again as long as that seems to pay. For what happens with each event it never does: planning
 * took as long as the insert itself. What takes many events at once may be planned each time.
 */
class PostgresPlanCacheIT {

    private static final int TIMES = 40;

    /** As often the driver does not prepare on the server, and then the server plans, before it compares costs. */
    private static final int NOT_YET = 5 + 5;

    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    private final TestedDatabase database = TestedDatabase.POSTGRESQL;
    private JdbcStoreFixture table;
    private Connection conn;
    private int number;

    /** What is in the table when the plans are made. */
    enum Rows {
        NONE,
        /** Most are finished; half of the others wait behind one key, which leads the planner to expect many of each. */
        MANY
    }

    @BeforeEach
    void connect() throws SQLException {
        table = Tables.shipped(database, "kept_outbox");
        TestedDatabase.Address address = database.database();
        conn = DriverManager.getConnection(address.url(), address.user(), address.password());
    }

    @AfterEach
    void disconnect() throws SQLException {
        conn.close();
    }

    private void fill(Rows rows) {
        if (rows == Rows.MANY) {
            Tables.execute(
                    database.pool(),
                    "INSERT INTO kept_outbox (event_id, event_type, aggregate_type, aggregate_id, payload, status, attempts,"
                            + " available_at, created_at) SELECT 'old' || n, 'Tick', 'Clock',"
                            + " CASE WHEN n % 2 = 0 THEN 'busy' ELSE 'k' || n % 1000 END, '{}',"
                            + " CASE WHEN n < 20000 THEN 1 ELSE 0 END, 0, now(), now() FROM generate_series(1, 30000) n",
                    database.analyze("kept_outbox"));
        }
    }

    private EventEnvelope next() {
        number++;
        return EventEnvelope.builder("Tick")
                .aggregateType("Clock")
                .aggregateId("k" + number)
                .occurredAt(Instant.parse("2026-01-01T00:00:00Z"))
                .payloadJson("{\"n\": " + number + "}")
                .build();
    }

    private OrderedStore ordered() {
        OrderedStore ordered = table.store().ordered();
        assertThat(ordered).isNotNull();
        return ordered;
    }

    private LeaseStore leases() {
        LeaseStore leases = table.store().leases();
        assertThat(leases).isNotNull();
        return leases;
    }

    private interface Work {
        void run() throws SQLException;
    }

    /** A prepared statement of the server's and how often it was planned. */
    private record Kept(String name, int parameters, int generic, int custom) {}

    private List<Kept> afterMany(Work work) throws SQLException {
        for (int i = 0; i < TIMES; i++) {
            work.run();
        }
        return JdbcTemplate.query(
                conn,
                "SELECT name, cardinality(parameter_types), generic_plans, custom_plans FROM pg_prepared_statements"
                        + " WHERE statement LIKE '%kept_outbox%' AND generic_plans + custom_plans > " + NOT_YET,
                row -> new Kept(row.getString(1), row.getInt(2), row.getInt(3), row.getInt(4)));
    }

    private void assertPlannedOnce(Work work) throws SQLException {
        List<Kept> kept = afterMany(work);
        assertThat(kept).hasSize(1);
        assertThat(kept.get(0).custom()).isEqualTo(5);
        assertThat(kept.get(0).generic()).isEqualTo(TIMES - NOT_YET + 1);
        assertThat(planOf(kept.get(0))).doesNotContain("Seq Scan on kept_outbox");
    }

    /** Of the plan that the server has kept; with which values does not matter. */
    private String planOf(Kept kept) throws SQLException {
        String values = String.join(
                ", ", Stream.generate(() -> "NULL").limit(kept.parameters()).toList());
        return String.join(
                "\n",
                JdbcTemplate.query(
                        conn, "EXPLAIN EXECUTE \"" + kept.name() + "\"(" + values + ")", row -> row.getString(1)));
    }

    @ParameterizedTest
    @EnumSource
    void the_insert_of_an_event_in_order_is_planned_once(Rows rows) throws SQLException {
        fill(rows);
        assertPlannedOnce(() -> ordered().insert(conn, List.of(next()), "owner"));
    }

    @ParameterizedTest
    @EnumSource
    void the_insert_of_several_events_in_order_is_planned_once(Rows rows) throws SQLException {
        fill(rows);
        assertPlannedOnce(() -> ordered().insert(conn, List.of(next(), next()), "owner"));
    }

    @ParameterizedTest
    @EnumSource
    void the_insert_of_events_in_order_and_once_is_planned_once(Rows rows) throws SQLException {
        fill(rows);
        assertPlannedOnce(() -> ordered().insertOnce(conn, List.of(next()), DuplicatePolicy.FAIL, "owner"));
    }

    @ParameterizedTest
    @EnumSource
    void the_insert_of_several_events_in_order_and_once_is_planned_once(Rows rows) throws SQLException {
        fill(rows);
        assertPlannedOnce(() -> ordered().insertOnce(conn, List.of(next(), next()), DuplicatePolicy.FAIL, "owner"));
    }

    @ParameterizedTest
    @EnumSource
    void the_question_for_the_turn_is_planned_once(Rows rows) throws SQLException {
        fill(rows);
        EventEnvelope event = next();
        ordered().insert(conn, List.of(event), "owner");
        assertPlannedOnce(() -> ordered().isFirst(conn, event.eventId()));
    }

    @ParameterizedTest
    @EnumSource
    void inserts_without_order_are_planned_once(Rows rows) throws SQLException {
        fill(rows);
        assertPlannedOnce(() -> leases().insertLeased(conn, List.of(next()), "owner"));
    }

    @ParameterizedTest
    @EnumSource
    void inserts_of_several_events_without_order_are_planned_once(Rows rows) throws SQLException {
        fill(rows);
        assertPlannedOnce(() -> leases().insertLeased(conn, List.of(next(), next()), "owner"));
    }

    @ParameterizedTest
    @EnumSource
    void inserts_of_events_without_order_once_are_planned_once(Rows rows) throws SQLException {
        fill(rows);
        assertPlannedOnce(() -> leases().insertOnce(conn, List.of(next()), DuplicatePolicy.FAIL, "owner", Set.of()));
    }

    @ParameterizedTest
    @EnumSource
    void marks_of_single_events_are_planned_once(Rows rows) throws SQLException {
        fill(rows);
        assertPlannedOnce(() -> leases().markRetry(
                        conn, "owner", List.of(new LeaseStore.HeldRetry("nobody's", 1, TIMEOUT, "not now"))));
    }
}
