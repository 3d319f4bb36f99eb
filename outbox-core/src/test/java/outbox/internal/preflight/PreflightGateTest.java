package outbox.internal.preflight;

import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxException;
import outbox.model.PreflightFinding;
import outbox.model.PreflightReport;
import outbox.spi.ConnectionProvider;
import outbox.spi.Preflight;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;
import outbox.testsupport.StubTransaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** When a preflight runs, and what waits for it. */
@Timeout(60)
class PreflightGateTest {

    private static final PreflightFinding BAD = PreflightFinding.refusing("rights", "no");
    private static final PreflightFinding DEAR = PreflightFinding.warning("clock", "late");
    private static final Preflight.Work WORK =
            new Preflight.Work(Set.of(), StubConnections.autoCommitting(), List.of(), Clock.systemUTC());

    /** Answers what it is told to, when it is told to. */
    private static final class Scripted implements Preflight {

        private final SynchronousQueue<Object> answers = new SynchronousQueue<>();
        private volatile Object first;

        @Override
        public List<String> checks() {
            return List.of("rights", "clock");
        }

        @Override
        public List<PreflightFinding> run(Work work, Set<String> skipped) throws SQLException {
            Object answer = first;
            first = null;
            try {
                answer = answer == null ? answers.poll(30, TimeUnit.SECONDS) : answer;
            } catch (InterruptedException e) {
                answer = new SQLException("interrupted");
            }
            if (answer instanceof SQLException away) {
                throw away;
            }
            return answer == null ? List.of() : List.of((PreflightFinding[]) answer);
        }
    }

    private static PreflightFinding[] found(PreflightFinding... findings) {
        return findings;
    }

    private final Scripted preflight = new Scripted();

    private PreflightGate gate() {
        return new PreflightGate(preflight, Set.of(), "orders");
    }

    @Test
    void all_that_refuses_the_start_is_in_one_message_and_what_only_costs_does_not_refuse_it() {
        preflight.first = found(BAD, DEAR, PreflightFinding.refusing("text", "garbled"));
        try (PreflightGate gate = gate()) {
            assertThatThrownBy(() -> gate.start(WORK))
                    .isInstanceOf(OutboxException.class)
                    .hasMessage("The preflight of outbox orders has found 2 problems with which it must not start:"
                            + "\n- [rights] no\n- [text] garbled");
        }
        preflight.first = found(DEAR);
        try (PreflightGate gate = gate()) {
            gate.start(WORK);
            assertThat(gate.isOpen()).isTrue();
            gate.start(WORK); // does not ask again
        }
    }

    @Test
    void a_database_that_is_away_holds_everything_back_until_the_preflight_has_passed() throws Exception {
        preflight.first = new SQLException("away", "08001");
        try (PreflightGate gate = gate()) {
            gate.start(WORK);
            assertThat(gate.isOpen()).isFalse();
            assertThat(gate.health().healthy()).isTrue();
            assertThat(gate.health().warnings())
                    .containsExactly("Preflight: waits for the database (java.sql.SQLException: away);"
                            + " until it has passed nothing is taken from the table");

            assertThat(preflight.answers.offer(found(BAD), 30, TimeUnit.SECONDS))
                    .isTrue();
            while (!gate.health().problems().equals(List.of("Preflight: [rights] no"))) {
                Thread.onSpinWait(); // the test's timeout ends it
            }
            assertThat(gate.isOpen()).isFalse();

            assertThat(preflight.answers.offer(found(DEAR), 30, TimeUnit.SECONDS))
                    .isTrue();
            while (!gate.isOpen()) {
                Thread.onSpinWait();
            }
            assertThat(gate.health().healthy()).isTrue();
            assertThat(gate.health().warnings()).isEmpty();
        }
    }

    /** As Spring says it, whose exceptions are unchecked. */
    private static final class NoSpringConnection extends RuntimeException {

        private static final long serialVersionUID = 1L;

        NoSpringConnection(SQLException cause) {
            super("Failed to obtain JDBC Connection", cause);
        }
    }

    @Test
    void a_provider_that_says_unchecked_that_there_is_no_connection_keeps_the_gate_shut_until_there_is_one() {
        // Neither the state nor the code of an outage: nothing but where it comes from tells what it means.
        AtomicReference<RuntimeException> broken =
                new AtomicReference<>(new NoSpringConnection(new SQLException("no password", "28P01")));
        ConnectionProvider connections = () -> {
            RuntimeException failure = broken.get();
            if (failure != null) {
                throw failure;
            }
            return StubConnections.autoCommitting().getConnection();
        };
        Preflight asking = new Asking(work -> work.connections().getConnection().close());
        try (PreflightGate gate = new PreflightGate(asking, Set.of(), "orders")) {
            gate.start(new Preflight.Work(Set.of(), connections, List.of(), Clock.systemUTC()));
            assertThat(gate.isOpen()).isFalse();
            assertThat(gate.health().warnings())
                    .singleElement()
                    .matches(problem -> problem.startsWith("Preflight: waits for the database (")
                            && problem.contains("Failed to obtain JDBC Connection"));

            broken.set(null);
            while (!gate.isOpen()) {
                Thread.onSpinWait();
            }
            assertThat(gate.health().healthy()).isTrue();
        }
    }

    @Test
    void an_outage_that_a_check_wraps_keeps_the_gate_shut_until_the_database_is_back() {
        AtomicBoolean away = new AtomicBoolean(true);
        Preflight asking = new Asking(work -> {
            if (away.get()) {
                throw new IllegalStateException("cannot look", new SQLException("gone", "08006"));
            }
        });
        try (PreflightGate gate = new PreflightGate(asking, Set.of(), "orders")) {
            gate.start(WORK);
            assertThat(gate.isOpen()).isFalse();
            away.set(false);
            while (!gate.isOpen()) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void a_check_that_crashes_is_told_as_a_warning_and_never_taken_for_a_clean_answer() {
        Preflight asking = new Asking(work -> {
            throw new IllegalStateException("a mistake");
        });
        try (PreflightGate gate = new PreflightGate(asking, Set.of(), "orders")) {
            gate.start(WORK);
            assertThat(gate.isOpen()).isTrue();
            assertThat(gate.report(WORK).findings()).singleElement().satisfies(finding -> {
                assertThat(finding.check()).isEqualTo("preflight");
                assertThat(finding.refuses()).isFalse();
                assertThat(finding.message()).contains("IllegalStateException: a mistake");
            });
        }
    }

    /** Asks in some way, and finds nothing. */
    private record Asking(Question question) implements Preflight {

        interface Question {
            void ask(Preflight.Work work) throws SQLException;
        }

        @Override
        public List<String> checks() {
            return List.of();
        }

        @Override
        public List<PreflightFinding> run(Work work, Set<String> skipped) throws SQLException {
            question.ask(work);
            return List.of();
        }
    }

    @Test
    void a_report_says_whether_the_database_could_be_asked() {
        try (PreflightGate gate = gate()) {
            preflight.first = new SQLException("away", "08001");
            assertThat(gate.report(WORK).asked()).isFalse();
            preflight.first = found();
            assertThat(gate.report(WORK)).isEqualTo(PreflightReport.CLEAN);
        }
    }

    @Test
    void an_outbox_claims_delivers_and_purges_nothing_before_its_preflight_has_passed() throws Exception {
        RecordingStore store = new RecordingStore() {
            @Override
            public Preflight preflight() {
                return preflight;
            }
        };
        StubTransaction transaction = new StubTransaction();
        CountDownLatch delivered = new CountDownLatch(1);
        CountDownLatch purged = new CountDownLatch(1);
        preflight.first = new SQLException("away", "08001");
        try (Outbox outbox = Outbox.builder(store, StubConnections.autoCommitting(), transaction)
                .listener("Paid", (EventEnvelope event) -> delivered.countDown())
                .singleProcess()
                .purger((conn, before, limit) -> {
                    purged.countDown();
                    return 0;
                })
                .deadRetention(Duration.ofDays(7))
                .poller(settings -> settings.intervalMs(5))
                .build()) {
            outbox.start();
            outbox.writer().write("Paid", "{}");
            transaction.commit();
            assertThat(preflight.answers.offer(found(BAD), 30, TimeUnit.SECONDS))
                    .isTrue();
            while (!outbox.health().problems().contains("Preflight: [rights] no")) {
                Thread.onSpinWait();
            }
            assertThat(store.calls()).noneMatch(call -> call.startsWith("pollPending"));
            assertThat(delivered.getCount()).isEqualTo(1);
            assertThat(purged.getCount()).isEqualTo(1);

            assertThat(preflight.answers.offer(found(), 30, TimeUnit.SECONDS)).isTrue();
            while (store.calls().stream().noneMatch(call -> call.startsWith("pollPending"))) {
                Thread.onSpinWait();
            }
            assertThat(purged.await(30, TimeUnit.SECONDS)).isTrue(); // not after the interval of an hour
        }
    }

    @Test
    void an_outbox_whose_start_was_refused_delivers_nothing_that_is_written_later() throws Exception {
        RecordingStore store = new RecordingStore() {
            @Override
            public Preflight preflight() {
                return preflight;
            }
        };
        StubTransaction transaction = new StubTransaction();
        CountDownLatch delivered = new CountDownLatch(1);
        preflight.first = found(BAD);
        try (Outbox outbox = Outbox.builder(store, StubConnections.autoCommitting(), transaction)
                .listener("Paid", (EventEnvelope event) -> delivered.countDown())
                .build()) {
            assertThatThrownBy(outbox::start).isInstanceOf(OutboxException.class);
            outbox.writer().write("Paid", "{}");
            transaction.commit();
            assertThatThrownBy(outbox::start).isInstanceOf(IllegalStateException.class);
        }
        assertThat(delivered.getCount()).isEqualTo(1);
    }
}
