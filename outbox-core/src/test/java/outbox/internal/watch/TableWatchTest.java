package outbox.internal.watch;

import java.sql.SQLException;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.OutboxException;
import outbox.OutboxFullException;
import outbox.WhenFull;
import outbox.model.TableFigures;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.ManualClock;
import outbox.testsupport.ManualNanos;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Timeout(60)
class TableWatchTest {

    private final CapturedLog log = new CapturedLog();
    private final ManualClock clock = new ManualClock("2026-01-01T00:00:00Z");
    private final ManualNanos nanos = new ManualNanos();
    private final StubConnections connections = StubConnections.transactional();
    private final ScriptedTable table = new ScriptedTable();
    private TableWatch watch = watch(PendingGate.open());

    private TableWatch watch(PendingGate gate) {
        return new TableWatch(table, connections, gate, clock, nanos);
    }

    private PendingGate limited(int limit) {
        PendingGate gate = PendingGate.of(limit, WhenFull.REFUSE, "orders");
        watch = watch(gate);
        return gate;
    }

    /** Waits for a look that is due. */
    private void lookAfter(Duration time) {
        int before = table.looks.get();
        nanos.advance(time);
        watch.known();
        Await.until(() -> table.looks.get() == before + 1);
    }

    @AfterEach
    void close() {
        watch.close();
        log.close();
        assertThat(connections.leaked()).isZero();
    }

    @Test
    void nothing_is_asked_before_somebody_wants_to_know_nor_after_the_close() {
        watch.start();
        watch.close();
        assertThat(watch.known().figures()).isNull();
        assertThat(watch.known().failure()).isNull();
        assertThat(table.looks).hasValue(0);
    }

    @Test
    void the_first_question_waits_for_an_answer_and_later_ones_get_what_is_known() {
        table.oldest = Duration.ofSeconds(7);
        table.dead = 3;
        table.held = 2;
        table.nodes = OptionalInt.of(1);
        assertThat(watch.known().figures())
                .isEqualTo(new TableFigures(clock.instant(), Duration.ofSeconds(7), 3, 2, 1, null));
        table.dead = 4;
        nanos.advance(Duration.ofMillis(19_999));
        assertThat(watch.known().figures().dead()).isEqualTo(3);
        assertThat(table.looks).hasValue(1);

        lookAfter(Duration.ofMillis(1));
        Await.until(() -> watch.known().figures().dead() == 4);
        assertThat(table.looks).hasValue(2);
        assertThat(table.nodeLooks).hasValue(2);
    }

    @Test
    void an_answer_that_is_older_than_a_minute_is_not_given() {
        watch.known();
        table.dead = 4;
        nanos.advance(Duration.ofMillis(60_001));
        assertThat(watch.known().figures().dead()).isEqualTo(4);
    }

    @Test
    void a_look_that_takes_long_is_rare() {
        table.duringLook = () -> nanos.advance(Duration.ofSeconds(4));
        watch.known();
        nanos.advance(Duration.ofSeconds(79));
        assertThat(watch.known().figures()).isNotNull();
        assertThat(table.looks).hasValue(1);
        lookAfter(Duration.ofSeconds(1));
    }

    @Test
    void a_failure_is_told_as_such_and_not_as_a_zero() {
        table.failure = new OutboxException("look", new SQLException("away", "08001"));
        assertThat(watch.known().figures()).isNull();
        assertThat(watch.known().failure()).contains("OutboxException");
        assertThat(table.looks).as("a probe does not ask again at once").hasValue(1);

        lookAfter(Duration.ofSeconds(20));
        Await.until(() -> watch.known().failing().equals(Duration.ofSeconds(20)));
        table.failure = null;
        lookAfter(Duration.ofSeconds(20));
        Await.until(() -> watch.known().figures() != null);
        assertThat(watch.known().failure()).isNull();
        assertThat(log.at(Level.WARNING))
                .as("without a limit nothing depends on it")
                .isEmpty();
    }

    @Test
    void a_store_that_cannot_tell_is_no_mystery() {
        table.failure = new UnsupportedOperationException("OldStore does not override overview");
        assertThat(watch.known().failure()).contains("UnsupportedOperationException");
    }

    @Test
    void a_database_that_does_not_answer_keeps_a_probe_waiting_for_two_seconds_and_the_next_one_not_at_all() {
        table.silence = new CountDownLatch(1);
        long start = System.nanoTime();
        assertThat(watch.known().figures()).isNull();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));

        nanos.advance(Duration.ofSeconds(3));
        assertThat(watch.known()).isEqualTo(new TableWatch.Known(null, "no answer for 3 s", Duration.ofSeconds(3)));
        table.silence.countDown();
        Await.until(() -> watch.known().figures() != null);
    }

    @Test
    void a_table_of_nodes_that_is_not_there_is_unknown_and_not_asked_for_ten_minutes() {
        table.nodeFailure = new OutboxException("count nodes", new SQLException("no such table", "42S02"));
        assertThat(watch.known().figures().nodes()).isNull();
        lookAfter(Duration.ofSeconds(20));
        assertThat(table.nodeLooks).hasValue(1);

        table.nodeFailure = null;
        table.nodes = OptionalInt.of(0);
        lookAfter(Duration.ofMinutes(10));
        Await.until(() -> Integer.valueOf(0).equals(watch.known().figures().nodes()));
    }

    @Test
    void a_database_that_goes_away_between_two_statements_is_away() {
        table.nodeFailure = new OutboxException("count nodes", new SQLException("gone", "08006"));
        assertThat(watch.known().figures()).isNull();
        assertThat(watch.known().failure()).isNotNull();
    }

    @Test
    void the_first_write_begins_to_count_and_a_full_table_refuses_the_next_ones() {
        table.pending = 11;
        PendingGate gate = limited(10);
        gate.admit();
        Await.until(() -> gate.problem() != null);

        assertThatThrownBy(gate::admit)
                .isInstanceOfSatisfying(OutboxFullException.class, e -> {
                    assertThat(e.limit()).isEqualTo(10);
                    assertThat(e.estimate()).isEqualTo(11);
                })
                .hasMessageContaining("Table orders is full")
                .hasMessageContaining("the transaction can go on");
    }

    @Test
    void a_look_that_fails_changes_nothing_and_is_told_once() {
        table.pending = 11;
        PendingGate gate = limited(10);
        watch.start();
        assertThat(watch.known().figures().pending()).isEqualTo(11);
        table.failure = new IllegalStateException("no");
        lookAfter(Duration.ofSeconds(5));
        Await.until(() -> watch.known().figures() == null);
        lookAfter(Duration.ofSeconds(5));
        assertThatThrownBy(gate::admit).isInstanceOf(OutboxFullException.class);
        assertThat(log.at(Level.WARNING))
                .filteredOn(line -> line.startsWith("Cannot count"))
                .hasSize(1);

        table.failure = null;
        table.pending = 9;
        lookAfter(Duration.ofSeconds(5));
        Await.until(() -> gate.problem() == null);
        gate.admit();
    }

    @Test
    void when_nobody_counts_any_more_writers_are_let_through() {
        table.pending = 11;
        PendingGate gate = limited(10);
        watch.start();
        watch.known();
        watch.close();
        gate.admit();
        gate.counted(11);
        gate.admit();
    }
}
