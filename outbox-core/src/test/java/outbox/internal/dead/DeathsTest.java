package outbox.internal.dead;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.DeadEvent;
import outbox.EventEnvelope;
import outbox.OutboxException;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.Events;
import outbox.testsupport.ManualClock;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.internal.dead.DeadEvents.dead;

class DeathsTest {

    private static final int MOST_REMEMBERED = 1_000;

    /** Keeps the notices that are written. */
    private static final class Notices extends RecordingStore {
        private final List<EventEnvelope> written = new ArrayList<>();

        @Override
        public synchronized void insertNew(Connection conn, EventEnvelope event) {
            super.insertNew(conn, event);
            written.add(event);
        }

        private List<String> deaths() throws Exception {
            List<String> ids = new ArrayList<>();
            for (EventEnvelope notice : written) {
                ids.add(DeathNotice.read(notice).eventId());
            }
            return ids;
        }
    }

    private final CapturedLog log = new CapturedLog();
    private final ManualClock clock = new ManualClock("2026-01-01T00:00:00Z");
    private final StubConnections connections = StubConnections.transactional();
    private final Notices store = new Notices();
    private final List<DeadEvent> told = new ArrayList<>();
    private Connection conn;

    @BeforeEach
    void open() throws SQLException {
        conn = connections.getConnection();
        store.add(DeadEvents.row("a"));
    }

    @AfterEach
    void stop() {
        log.close();
    }

    private Deaths failing(Throwable failure) {
        return Deaths.told(
                store,
                (dead, connection) -> {
                    told.add(dead);
                    if (failure instanceof Error error) {
                        throw error;
                    }
                    throw (Exception) failure;
                },
                clock);
    }

    @Test
    void nobody_is_told_of_an_outbox_without_a_handler() {
        Deaths.UNTOLD.marked(conn, dead("a"));

        assertThat(Deaths.UNTOLD.areTold(Events.TYPE)).isFalse();
        assertThat(connections.journal()).containsExactly("open");
    }

    @Test
    void nobody_is_told_of_the_end_of_a_notice() {
        Deaths deaths = Deaths.told(store, (dead, connection) -> told.add(dead), clock);
        deaths.marked(
                conn, new DeadEvent("n", DeathNotice.TYPE, "A", null, null, "e", 1, false, clock.instant(), null));

        assertThat(deaths.areTold(DeathNotice.TYPE)).isFalse();
        assertThat(deaths.areTold(Events.TYPE)).isTrue();
        assertThat(deaths.areTold(null)).isTrue();
        assertThat(told).isEmpty();
        assertThat(store.calls()).isEmpty();
    }

    @Test
    void an_event_dies_when_it_is_marked() {
        assertThat(Deaths.told(store, null, clock).now()).isEqualTo(clock.instant());
    }

    @Test
    void a_handler_that_is_told_afterwards_has_a_notice_in_the_transaction_of_the_mark() throws Exception {
        Deaths.told(store, null, clock).marked(conn, dead("a"));

        assertThat(store.deaths()).containsExactly("a");
        assertThat(connections.journal()).containsExactly("open");
    }

    @Test
    void a_handler_that_is_told_at_once_sees_the_row_and_needs_no_notice() throws Exception {
        Deaths.told(store, (dead, connection) -> told.add(dead), clock).marked(conn, dead("a"));

        assertThat(told).containsExactly(dead("a").with(DeadEvents.row("a")));
        assertThat(store.deaths()).isEmpty();
        assertThat(connections.journal()).containsExactly("open", "savepoint");
    }

    @Test
    void a_handler_is_told_without_the_row_if_that_is_not_there() {
        Deaths.told(store, (dead, connection) -> told.add(dead), clock).marked(conn, dead("gone"));

        assertThat(told).containsExactly(dead("gone"));
    }

    @Test
    void what_a_handler_that_fails_has_done_is_undone_and_it_is_told_by_a_notice() throws Exception {
        failing(new IllegalStateException("no luck with " + DeadEvents.SECRET)).marked(conn, dead("a"));

        assertThat(connections.journal()).containsExactly("open", "savepoint", "rollback to savepoint");
        assertThat(store.deaths()).containsExactly("a");
        assertThat(log.at(Level.WARNING))
                .containsExactly(
                        "The handler of dead events failed for event a in the transaction that marks it; the event"
                                + " is DEAD, and the handler is told again");
        assertThat(log.lines().get(0).thrown().toString())
                .contains("no luck with")
                .doesNotContain(DeadEvents.SECRET);
    }

    @Test
    void a_row_that_cannot_be_read_is_told_by_a_notice() throws Exception {
        store.failNext(1);
        Deaths.told(store, (dead, connection) -> told.add(dead), clock).marked(conn, dead("a"));

        assertThat(told).isEmpty();
        assertThat(store.deaths()).containsExactly("a");
    }

    @Test
    void a_handler_that_failed_is_not_called_again_when_the_mark_is_repeated_but_for_other_events_it_is()
            throws Exception {
        Deaths deaths = failing(new IllegalStateException("no"));
        deaths.marked(conn, dead("a"));
        deaths.marked(conn, dead("a"));
        deaths.marked(conn, dead("b"));

        assertThat(told).extracting(DeadEvent::eventId).containsExactly("a", "b");
        assertThat(store.deaths()).containsExactly("a", "a", "b");
    }

    @Test
    void only_so_many_failures_are_remembered() {
        Deaths deaths = failing(new IllegalStateException("no"));
        IntStream.rangeClosed(0, MOST_REMEMBERED).forEach(i -> deaths.marked(conn, dead("e" + i)));
        told.clear();
        deaths.marked(conn, dead("e1"));
        deaths.marked(conn, dead("e0"));

        assertThat(told).extracting(DeadEvent::eventId).containsExactly("e0");
    }

    @Test
    void an_error_of_the_machine_is_passed_on_after_the_handlers_work_was_undone() {
        OutOfMemoryError full = new OutOfMemoryError("test");

        assertThatThrownBy(() -> failing(full).marked(conn, dead("a"))).isSameAs(full);
        assertThat(connections.journal()).endsWith("rollback to savepoint");
        assertThat(store.calls()).containsExactly("event a");
    }

    @Test
    void the_mark_fails_if_the_handlers_work_cannot_be_undone() {
        connections.failOn("rollback", new SQLException("gone"));

        assertThatThrownBy(() -> failing(new IllegalStateException("no")).marked(conn, dead("a")))
                .isInstanceOf(OutboxException.class)
                .hasMessage("Cannot undo what the handler of dead events has done")
                .hasRootCauseMessage("gone");
    }

    @Test
    void without_a_savepoint_the_handler_is_not_called_and_told_by_a_notice() throws Exception {
        connections.failOn("setSavepoint", new SQLException("no savepoints here"));
        Deaths.told(store, (dead, connection) -> told.add(dead), clock).marked(conn, dead("a"));

        assertThat(told).isEmpty();
        assertThat(store.deaths()).containsExactly("a");
        assertThat(log.at(Level.FINE)).hasSize(1).first().asString().startsWith("No savepoint for the handler");
    }

    @Test
    void the_handler_works_in_the_transaction_but_cannot_end_it_nor_the_connection() {
        List<String> refused = new ArrayList<>();
        Deaths.told(
                        store,
                        (dead, connection) -> {
                            connection.close();
                            refused.add(refusal(connection::commit));
                            refused.add(refusal(connection::rollback));
                            refused.add(refusal(() -> connection.setAutoCommit(true)));
                            refused.add(refusal(() -> connection.abort(Runnable::run)));
                            connection.rollback(connection.setSavepoint());
                            assertThat(connection.getAutoCommit()).isFalse();
                        },
                        clock)
                .marked(conn, dead("a"));

        assertThat(refused)
                .hasSize(4)
                .allSatisfy(message -> assertThat(message)
                        .contains("the outbox ends; return to let it be committed, throw to undo what you have done"));
        assertThat(refused).first().asString().startsWith("commit() was called");
        assertThat(connections.journal()).containsExactly("open", "savepoint", "savepoint", "rollback to savepoint");
        assertThat(store.calls()).containsExactly("event a");
    }

    @Test
    void the_handler_gets_the_drivers_own_answers_and_exceptions() throws SQLException {
        SQLException broken = new SQLException("broken");
        connections.failOn("isValid", broken);
        Connection open = OpenTransaction.on(conn);

        assertThatThrownBy(() -> open.isValid(1)).isSameAs(broken);
        connections.succeedOn("isValid");
        assertThat(open.isValid(1)).isTrue();
    }

    @FunctionalInterface
    private interface Call {
        void run() throws SQLException;
    }

    private static String refusal(Call call) {
        try {
            call.run();
        } catch (SQLException e) {
            return e.getMessage();
        }
        return "nothing was refused";
    }
}
