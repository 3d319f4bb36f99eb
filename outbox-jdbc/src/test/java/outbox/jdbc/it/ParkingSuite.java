package outbox.jdbc.it;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;
import outbox.dispatch.Ordering;
import outbox.jdbc.OutboxStoreException;
import outbox.spi.LeaseStore;
import outbox.spi.OrderedStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Between putting events off and letting their keys go on nothing is lost, whatever happens in between. */
abstract class ParkingSuite extends StarvationFixture {

    private static final int CLAIM = 50;

    /** Between the two a person lets the key go, and brings back nothing, because nothing is put off yet. */
    @Test
    void a_process_that_dies_between_putting_off_and_looking_again_loses_nothing() throws Exception {
        List<EventEnvelope> held = heldByItsFirst();
        AtomicBoolean parked = new AtomicBoolean();
        try (Connection conn = database().pool().getConnection()) {
            Connection dying = StoppedConnection.beforeEach(conn, sql -> {
                if (parked.get()) {
                    letKeyGo("held-00000");
                    throw new SQLException("the process is gone");
                }
                parked.set(sql.contains("SET locked_by = '" + PARKED + "'"));
            });
            assertThatThrownBy(() -> claim(dying)).isInstanceOf(OutboxStoreException.class);
        }

        goesOnWhenItFallsDue(held);
    }

    @Test
    void a_process_that_dies_after_it_let_a_key_go_and_before_it_brings_anything_back_loses_nothing() throws Exception {
        List<EventEnvelope> held = heldByItsFirst();
        try (Connection conn = database().pool().getConnection()) {
            assertThat(claim(conn)).isEmpty();
        }
        letKeyGo("held-00000");

        goesOnWhenItFallsDue(held);
    }

    @Test
    void a_process_that_dies_after_a_replay_and_before_it_brings_anything_back_loses_nothing() throws Exception {
        List<EventEnvelope> held = putOffBehindItsFirst();
        replay("held-00000");

        goesOnAtOnce(held);
    }

    @Test
    void a_process_that_dies_after_it_took_the_first_event_and_before_it_brings_anything_back_loses_nothing()
            throws Exception {
        List<EventEnvelope> held = putOffBehindItsFirst();
        replay("held-00000");
        takenByOneThatBringsNothingBack();
        // As if its lease had expired.
        Tables.execute(
                database().pool(),
                "UPDATE starved_outbox SET locked_at = TIMESTAMP '2026-01-01 01:00:00' WHERE event_id = 'held-00000'");

        goesOnAtOnce(held);
    }

    /** What it took is delivered, and nobody else has a reason to look at the key before the next event of it is written. */
    @Test
    void what_was_not_brought_back_is_found_in_order_with_the_next_event_of_its_key() throws Exception {
        List<EventEnvelope> held = putOffBehindItsFirst();
        replay("held-00000");
        takenByOneThatBringsNothingBack();
        try (Connection conn = database().pool().getConnection()) {
            assertThat(table.store().leases().markDone(conn, "owner", List.of("held-00000")))
                    .isEmpty();
            assertThat(claim(conn)).isEmpty();
        }
        List<EventEnvelope> next = ofKey("held", CLAIM + 1).subList(CLAIM, CLAIM + 1);
        insert(next);

        List<EventEnvelope> all = new ArrayList<>(held.subList(1, CLAIM));
        all.addAll(next);
        goesOnAtOnce(all);
    }

    /** Between the two a person lets the key go, and finds nothing that is put off, because that is not committed yet. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_key_that_goes_on_while_its_events_are_put_off_is_seen(boolean autoCommit) throws Exception {
        List<EventEnvelope> held = heldByItsFirst();
        AtomicBoolean parked = new AtomicBoolean();
        AtomicInteger missed = new AtomicInteger();
        try (HikariDataSource pool = database().newPool(6, autoCommit);
                Node node = node(
                        StoppedConnection.beforeEachAndCommit(pool, sql -> {
                            if (sql.equals(StoppedConnection.COMMIT) && parked.get() && missed.compareAndSet(0, 1)) {
                                letKeyGo("held-00000");
                                assertThat(bringBack("held-00000")).isZero();
                            }
                            if (sql.contains("SET locked_by = '" + PARKED + "'")) {
                                parked.set(true);
                            }
                        }),
                        Ordering.PER_AGGREGATE,
                        journal(event -> false, new CountDownLatch(0)))) {
            awaitDeliveries(CLAIM - 1);
            assertThat(missed).hasValue(1);
            assertThat(delivered.get("held")).isEqualTo(ids(held).subList(1, CLAIM));
            assertThat(node.dispatcher.health().problems()).isEmpty();
        }
    }

    /** What the claim took is committed by then: its events would wait for a whole lease if nobody knew of them. */
    @Test
    void a_claim_that_cannot_put_off_keeps_what_it_took() throws Exception {
        heldByItsFirst();
        insert(ofKey("free", 2));
        try (Connection conn = database().pool().getConnection();
                LibraryLog log = new LibraryLog()) {
            Connection failing = StoppedConnection.before(conn, "SET locked_by = '" + PARKED + "'", () -> {
                throw new SQLException("cannot put off");
            });
            assertThat(idsOf(claim(failing, 2 * CLAIM))).containsExactly("free-00000", "free-00001");
            assertThat(log.entries()).anyMatch(line -> line.contains("cannot put off"));
        }
    }

    /** Then nothing is taken, and whoever claims repeats all of it. */
    @Test
    void a_claim_in_somebody_elses_transaction_that_cannot_put_off_fails_as_a_whole() throws Exception {
        heldByItsFirst();
        insert(ofKey("free", 2));
        try (Connection conn = database().pool().getConnection()) {
            conn.setAutoCommit(false);
            Connection failing = StoppedConnection.before(conn, "SET locked_by = '" + PARKED + "'", () -> {
                throw new SQLException("cannot put off");
            });
            assertThatThrownBy(() -> claim(failing, 2 * CLAIM)).isInstanceOf(OutboxStoreException.class);
            conn.rollback();
            conn.setAutoCommit(true);
            assertThat(idsOf(claim(conn, 2 * CLAIM))).containsExactly("free-00000", "free-00001");
        }
    }

    private static List<String> idsOf(List<OrderedStore.Run> runs) {
        return runs.stream()
                .flatMap(run -> run.events().stream())
                .map(taken -> taken.event().eventId())
                .toList();
    }

    private int bringBack(String eventId) throws SQLException {
        try (Connection conn = database().pool().getConnection()) {
            return table.store().ordered().bringBack(conn, List.of(eventId));
        }
    }

    private List<EventEnvelope> heldByItsFirst() throws SQLException {
        List<EventEnvelope> held = ofKey("held", CLAIM);
        insert(held.subList(0, 1));
        try (Connection conn = database().pool().getConnection()) {
            assertThat(claim(conn)).hasSize(1);
            LeaseStore.HeldDead dead = new LeaseStore.HeldDead("held-00000", "refused", true);
            assertThat(table.store().leases().markDead(conn, "owner", List.of(dead)))
                    .isEmpty();
        }
        insert(held.subList(1, CLAIM));
        return held;
    }

    private List<EventEnvelope> putOffBehindItsFirst() throws SQLException {
        List<EventEnvelope> held = heldByItsFirst();
        try (Connection conn = database().pool().getConnection()) {
            assertThat(claim(conn)).isEmpty();
        }
        assertThat(Tables.select(
                        database().pool(), "SELECT COUNT(*) FROM starved_outbox WHERE locked_by = '" + PARKED + "'"))
                .containsExactly(String.valueOf(CLAIM - 1));
        return held;
    }

    /** Only the replay itself; whoever did it is gone before it could do more. */
    private void replay(String eventId) throws SQLException {
        try (Connection conn = database().pool().getConnection()) {
            assertThat(table.store().replayDead(conn, eventId)).isEqualTo(1);
        }
    }

    private void takenByOneThatBringsNothingBack() throws SQLException {
        try (Connection conn = database().pool().getConnection();
                LibraryLog log = new LibraryLog()) {
            Connection dying =
                    StoppedConnection.before(conn, "AND locked_by = '" + PARKED + "' AND locked_at IS NULL", () -> {
                        throw new SQLException("the process is gone");
                    });
            assertThat(idsOf(claim(dying))).containsExactly("held-00000");
            assertThat(log.entries()).anyMatch(line -> line.contains("the process is gone"));
        }
    }

    private void goesOnAtOnce(List<EventEnvelope> events) throws Exception {
        try (Node node = node(journal(event -> false, new CountDownLatch(0)))) {
            awaitDeliveries(events.size());
            assertThat(delivered.get("held")).isEqualTo(ids(events));
            assertThat(node.dispatcher.health().problems()).isEmpty();
        }
    }

    private List<OrderedStore.Run> claim(Connection conn) {
        return claim(conn, CLAIM);
    }

    private List<OrderedStore.Run> claim(Connection conn, int limit) {
        LeaseStore.ClaimRequest request = new LeaseStore.ClaimRequest(
                "owner", Duration.ofMinutes(5), Duration.ZERO, limit, LeaseStore.Start.BEGINNING);
        return table.store().ordered().claim(conn, request, List.of()).runs();
    }

    private void letKeyGo(String eventId) throws SQLException {
        try (Connection conn = database().pool().getConnection()) {
            assertThat(table.store().ordered().letKeyGo(conn, eventId)).isEqualTo(1);
        }
    }

    private void goesOnWhenItFallsDue(List<EventEnvelope> held) throws Exception {
        String waiting = "FROM starved_outbox WHERE status = 0 AND locked_by = '" + PARKED + "'";
        assertThat(Tables.select(database().pool(), "SELECT COUNT(*) " + waiting))
                .containsExactly(String.valueOf(CLAIM - 1));
        // Not before half a minute has passed, and not after half an hour.
        try (Connection conn = database().pool().getConnection()) {
            assertThat(claim(conn)).isEmpty();
        }
        // As if the half minute had passed.
        Tables.execute(
                database().pool(),
                "UPDATE starved_outbox SET available_at = TIMESTAMP '2026-01-01 01:00:00' WHERE locked_by = '" + PARKED
                        + "'");
        try (Node node = node(journal(event -> false, new CountDownLatch(0)))) {
            awaitDeliveries(CLAIM - 1);
            assertThat(delivered.get("held")).isEqualTo(ids(held).subList(1, CLAIM));
            assertThat(node.dispatcher.health().problems()).isEmpty();
        }
    }
}
