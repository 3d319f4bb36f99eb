package outbox.jdbc.it;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.jdbc.JdbcTemplate;
import outbox.model.NodeMode;
import outbox.spi.LeaseStore;
import outbox.spi.OrderedStore;
import outbox.testing.contract.JdbcStoreFixture;

import static org.assertj.core.api.Assertions.assertThat;

/** How many statements each piece of work costs. */
abstract class StatementCountSuite {

    private final AtomicInteger statements = new AtomicInteger();
    private JdbcStoreFixture table;

    abstract TestedDatabase database();

    @BeforeEach
    void createTable() {
        table = Tables.shipped(database(), "outbox_event");
    }

    private interface Work {
        void on(Connection conn) throws SQLException;
    }

    private int statementsOf(Work work) throws SQLException {
        try (Connection conn = database().pool().getConnection()) {
            statements.set(0);
            work.on(counting(conn));
            return statements.get();
        }
    }

    private Connection counting(Connection conn) {
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                    if (method.getName().equals("prepareStatement")
                            || method.getName().equals("createStatement")) {
                        statements.incrementAndGet();
                    }
                    try {
                        return method.invoke(conn, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static List<EventEnvelope> events(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> EventEnvelope.ofJson("Tick", "{}"))
                .toList();
    }

    @Test
    void a_write_is_one_statement() throws SQLException {
        assertThat(statementsOf(conn -> table.store().insertNew(conn, events(1).get(0))))
                .isEqualTo(1);
        assertThat(statementsOf(conn -> table.store().insertBatch(conn, events(100))))
                .isEqualTo(1);
    }

    @Test
    void a_batch_of_thousands_is_one_statement() throws SQLException {
        assertThat(statementsOf(conn -> table.store().insertBatch(conn, events(5_000))))
                .isEqualTo(1);
    }

    private void once(Connection conn, List<EventEnvelope> events) {
        table.store().insertOnce(conn, events, DuplicatePolicy.IGNORE);
    }

    @Test
    void a_write_with_a_receipt_costs_the_same_whatever_its_size_and_more_only_if_something_is_there()
            throws SQLException {
        statementsOf(conn -> once(conn, events(1))); // looks once whether there is a column for the sequence
        int cost = database().statementsPerReceipt();
        List<EventEnvelope> one = events(1);
        List<EventEnvelope> many = events(500);

        assertThat(statementsOf(conn -> once(conn, one))).isEqualTo(cost);
        assertThat(statementsOf(conn -> once(conn, many))).isEqualTo(cost);
        assertThat(statementsOf(conn -> leases().insertOnce(conn, events(500), DuplicatePolicy.FAIL, "o", Set.of())))
                .isEqualTo(cost);
        assertThat(statementsOf(conn -> once(conn, one))).isEqualTo(2);
        assertThat(statementsOf(conn -> once(conn, many))).isEqualTo(2);
    }

    @Test
    void a_write_with_a_receipt_in_order_costs_the_same_as_one_without_order() throws SQLException {
        OrderedStore order = table.store().ordered();
        statementsOf(conn -> once(conn, events(1)));

        assertThat(statementsOf(conn -> order.insertOnce(conn, events(100), DuplicatePolicy.FAIL, "o")))
                .isEqualTo(database().statementsPerReceipt());
    }

    @Test
    void a_write_of_delayed_events_is_one_statement() throws SQLException {
        List<EventEnvelope> mixed = new ArrayList<>(events(10));
        mixed.add(EventEnvelope.builder("Tick")
                .deliverAfter(Duration.ofHours(1))
                .payloadJson("{}")
                .build());

        assertThat(statementsOf(conn -> table.store().insertBatch(conn, mixed))).isEqualTo(1);
    }

    @Test
    void a_mark_is_one_statement() throws SQLException {
        assertThat(statementsOf(conn -> table.store().markDone(conn, "x"))).isEqualTo(1);
        assertThat(statementsOf(conn -> table.store().markRetry(conn, "x", Instant.now(), "e")))
                .isEqualTo(1);
        assertThat(statementsOf(conn -> table.store().markDead(conn, "x", "e"))).isEqualTo(1);
    }

    @Test
    void polls_claims_and_releases_cost_the_same_whatever_their_size() throws SQLException {
        Instant now = Instant.now().plusSeconds(5);
        statementsOf(conn -> table.store().insertBatch(conn, events(200)));

        assertThat(statementsOf(conn -> table.store().pollPending(conn, now, Duration.ZERO, 100)))
                .isEqualTo(1);
        assertThat(statementsOf(conn -> table.store().claimPending(conn, "o", now, now, Duration.ZERO, 100)))
                .isEqualTo(database().statementsPerClaim());
        assertThat(statementsOf(conn -> table.store().releaseClaims(conn, "o", List.of("a", "b", "c"))))
                .isEqualTo(1);
    }

    @Test
    void a_purge_looks_locks_and_deletes_and_looks_for_each_other_kind_of_rows_once() throws SQLException {
        statementsOf(conn -> table.store().insertBatch(conn, events(200)));
        Tables.execute(database().pool(), "UPDATE outbox_event SET status = 1, done_at = created_at");
        Instant later = Instant.now().plusSeconds(5);

        assertThat(statementsOf(conn -> table.purger().purge(conn, later, 150))).isEqualTo(3);
        assertThat(statementsOf(conn -> table.purger().purge(conn, later, 150))).isEqualTo(3 + 3);
        assertThat(statementsOf(conn -> table.purger().purge(conn, later, 150))).isEqualTo(4);
    }

    @Test
    void the_marks_of_a_group_are_one_statement() throws SQLException {
        List<String> ids = IntStream.range(0, 300).mapToObj(i -> "e" + i).toList();

        assertThat(statementsOf(conn -> table.store().markDoneAll(conn, ids))).isEqualTo(1);
        assertThat(statementsOf(conn -> table.store().deleteAll(conn, ids))).isEqualTo(1);
    }

    private LeaseStore leases() {
        return table.store().leases();
    }

    @Test
    void a_heartbeat_is_one_statement_and_so_is_a_look_at_the_neighbours() throws SQLException {
        statementsOf(conn -> leases().heartbeat(conn, "o", NodeMode.LEASES)); // shows itself for the first time

        assertThat(statementsOf(conn -> leases().heartbeat(conn, "o", NodeMode.LEASES)))
                .isEqualTo(1);
        assertThat(statementsOf(conn -> leases().neighbours(conn, "o", Duration.ofMinutes(1))))
                .isEqualTo(1);
    }

    @Test
    void a_write_with_a_lease_is_one_statement() throws SQLException {
        assertThat(statementsOf(conn -> leases().insertLeased(conn, events(1), "o")))
                .isEqualTo(1);
        assertThat(statementsOf(conn -> leases().insertLeased(conn, events(5_000), "o")))
                .isEqualTo(1);
    }

    @Test
    void a_claim_of_leases_costs_the_same_as_one_without_and_what_follows_one_or_two() throws SQLException {
        statementsOf(conn -> table.store().insertBatch(conn, events(500)));
        List<LeaseStore.Taken> claimed = new ArrayList<>();

        assertThat(statementsOf(
                        conn -> claimed.addAll(leases().claim(conn, "o", Duration.ofMinutes(5), Duration.ZERO, 500))))
                .isEqualTo(database().statementsPerClaim());

        List<String> ids =
                claimed.stream().map(taken -> taken.event().eventId()).toList();
        assertThat(ids).hasSize(500);
        assertThat(statementsOf(conn -> leases().renew(conn, "o", ids)))
                .isEqualTo(database().statementsPerRenewal());
        assertThat(statementsOf(conn -> leases().held(conn, "o", ids))).isEqualTo(1);
        assertThat(statementsOf(conn -> leases().markDone(conn, "o", ids))).isEqualTo(1);
    }

    @Test
    void marks_of_events_with_different_numbers_of_attempts_are_one_statement() throws SQLException {
        statementsOf(conn -> leases().insertLeased(conn, events(10), "o"));
        Tables.execute(database().pool(), "UPDATE outbox_event SET attempts = 3 WHERE event_id LIKE '%1'");
        List<String> ids = new ArrayList<>();
        try (Connection conn = database().pool().getConnection()) {
            ids.addAll(JdbcTemplate.query(conn, "SELECT event_id FROM outbox_event", row -> row.getString(1)));
        }

        assertThat(statementsOf(conn -> leases().markDone(conn, "o", ids))).isEqualTo(1);
    }

    @Test
    void what_a_crash_costs_is_one_statement_for_each_suspect() throws SQLException {
        EventEnvelope event = events(1).get(0);
        statementsOf(conn -> leases().insertLeased(conn, List.of(event), "o"));

        assertThat(statementsOf(conn -> leases().writeDown(conn, "o", new LeaseStore.Begun(event.eventId(), 0, 0))))
                .isEqualTo(1);
        assertThat(statementsOf(conn -> leases().takeBack(conn, "o", new LeaseStore.Begun(event.eventId(), 0, 0))))
                .isEqualTo(1);
    }

    @Test
    void a_write_in_order_is_one_statement_and_a_claim_in_order_is_a_few_whatever_its_size() throws SQLException {
        OrderedStore order = table.store().ordered();
        List<EventEnvelope> events = IntStream.range(0, 1_000)
                .mapToObj(i -> EventEnvelope.builder("Tick")
                        .aggregateId("k" + i % 100)
                        .payloadJson("{}")
                        .build())
                .toList();

        assertThat(statementsOf(conn -> order.insert(conn, events, "o"))).isEqualTo(1);
        assertThat(statementsOf(conn -> order.isFirst(conn, events.get(1).eventId())))
                .isEqualTo(1);
        Tables.execute(database().pool(), "UPDATE outbox_event SET locked_by = NULL, locked_at = NULL");
        assertThat(statementsOf(conn -> order.claim(conn, "o", Duration.ofMinutes(5), Duration.ZERO, 1_000)))
                .isEqualTo(4);
    }

    @Test
    void deletes_and_releases_of_leases_are_one_statement() throws SQLException {
        List<EventEnvelope> events = events(500);
        List<String> ids = events.stream().map(EventEnvelope::eventId).toList();
        statementsOf(conn -> leases().insertLeased(conn, events, "o"));

        assertThat(statementsOf(conn -> leases().release(conn, "o", ids.subList(0, 100))))
                .isEqualTo(1);
        assertThat(statementsOf(conn -> leases().delete(conn, "o", ids.subList(100, 500))))
                .isEqualTo(1);
    }
}
