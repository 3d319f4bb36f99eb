package outbox.dispatch;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.dispatch.OutcomeRecorder.Pause;
import outbox.model.EventStatus;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.testsupport.Events.hot;

class OutcomeRecorderTest {

    private static final Instant NEXT_AT = Instant.parse("2026-01-01T00:00:05Z");

    private final CapturedLog log = new CapturedLog();
    private final RecordingStore store = new RecordingStore().add("a");
    private final RecordingMetrics metrics = new RecordingMetrics();
    private final StubConnections connections = StubConnections.autoCommitting();
    private final List<Long> pauses = new ArrayList<>();
    private final Pause patient = time -> pauses.add(time.toMillis());

    @AfterEach
    void stopCapturing() {
        log.close();
        assertThat(connections.leaked()).isZero();
    }

    @Test
    void success_is_recorded_and_counted() {
        record(new Outcome.Done());

        assertThat(store.status("a")).isEqualTo(EventStatus.DONE);
        assertThat(metrics.success).hasValue(1);
        assertThat(metrics.failure).hasValue(0);
        assertThat(metrics.dead).hasValue(0);
        assertThat(log.at(Level.FINE)).hasSize(1).first().asString().contains("a", "is DONE");
        assertThat(pauses).isEmpty();
    }

    @Test
    void a_retry_is_recorded_and_counted() {
        record(new Outcome.Retry(NEXT_AT, "error"));

        assertThat(store.status("a")).isEqualTo(EventStatus.RETRY);
        assertThat(store.availableAt("a")).isEqualTo(NEXT_AT);
        assertThat(store.error("a")).isEqualTo("error");
        assertThat(metrics.failure).hasValue(1);
        assertThat(metrics.success).hasValue(0);
        assertThat(log.at(Level.FINE)).hasSize(1).first().asString().contains("next attempt at");
    }

    @Test
    void a_dead_event_is_recorded_counted_and_logged_as_an_error() {
        recorder(patient).record(hot("a", 9), new Outcome.Dead("error text"));

        assertThat(store.status("a")).isEqualTo(EventStatus.DEAD);
        assertThat(store.error("a")).isEqualTo("error text");
        assertThat(metrics.dead).hasValue(1);
        assertThat(metrics.failure).hasValue(0);
        assertThat(log.at(Level.SEVERE))
                .hasSize(1)
                .first()
                .asString()
                .contains("a", "is DEAD after 10 failed attempt(s)", "error text");
    }

    @Test
    void an_event_without_a_row_still_counts_as_delivered() {
        recorder(patient).record(hot("no-row"), new Outcome.Done());

        assertThat(store.calls()).containsExactly("markDone no-row");
        assertThat(metrics.success).hasValue(1);
    }

    @Test
    void a_store_that_fails_after_success_is_asked_again_for_done_and_nothing_else() {
        store.failNext(3);
        record(new Outcome.Done());

        assertThat(store.calls()).containsExactly("markDone a", "markDone a", "markDone a", "markDone a");
        assertThat(pauses).containsExactly(50L, 100L, 200L);
        assertThat(store.status("a")).isEqualTo(EventStatus.DONE);
        assertThat(metrics.success).hasValue(1);
        assertThat(log.at(Level.WARNING)).hasSize(3).allMatch(line -> line.contains("trying again"));
    }

    @Test
    void a_database_that_cannot_be_reached_is_tried_again() {
        connections.failToOpen(2);
        record(new Outcome.Done());

        assertThat(store.calls()).containsExactly("markDone a");
        assertThat(pauses).containsExactly(50L, 100L);
        assertThat(metrics.success).hasValue(1);
    }

    @Test
    void a_database_that_stays_away_is_given_up_with_growing_pauses() {
        store.failNext(1_000);
        record(new Outcome.Done());

        assertThat(store.calls()).hasSize(8).containsOnly("markDone a");
        assertThat(pauses).containsExactly(50L, 100L, 200L, 400L, 800L, 1600L, 2000L);
        assertThat(store.status("a")).isEqualTo(EventStatus.NEW);
        assertThat(metrics.success).hasValue(0);
        assertThat(log.at(Level.SEVERE))
                .hasSize(1)
                .first()
                .asString()
                .contains("Cannot record that", "is Done", "giving up");
    }

    @Test
    void when_there_is_no_time_to_wait_the_outcome_is_given_up() {
        store.failNext(1_000);
        recorder(time -> false).record(hot("a"), new Outcome.Dead("error"));

        assertThat(store.calls()).containsExactly("markDead a");
        assertThat(store.status("a")).isEqualTo(EventStatus.NEW);
        assertThat(metrics.dead).hasValue(0);
    }

    @Test
    void an_outcome_that_is_not_durable_is_not_counted() {
        store.failNext(1_000);
        record(new Outcome.Retry(NEXT_AT, "error"));

        assertThat(metrics.failure).hasValue(0);
        assertThat(store.calls()).hasSize(OutcomeRecorder.MAX_TRIES).containsOnly("markRetry a");
    }

    @Test
    void a_connection_without_autocommit_is_committed() {
        StubConnections transactional = StubConnections.transactional();
        new OutcomeRecorder(transactional, store, metrics, patient).record(hot("a"), new Outcome.Done());

        assertThat(transactional.journal()).containsExactly("open", "commit", "close");
    }

    @Test
    void a_retry_is_not_recorded_twice_because_its_connection_could_not_be_closed() {
        StubConnections leaky = StubConnections.autoCommitting().failOn("close", new SQLException("closed"));
        new OutcomeRecorder(leaky, store, metrics, patient).record(hot("a"), new Outcome.Retry(NEXT_AT, "error"));

        assertThat(store.attempts("a")).isEqualTo(1);
        assertThat(metrics.failure).hasValue(1);
    }

    @Test
    void an_error_of_the_store_is_not_tried_again() {
        LinkageError broken = new LinkageError("driver is missing a class");
        store.failWith(broken);

        assertThatThrownBy(() -> record(new Outcome.Done())).isSameAs(broken);
        assertThat(store.calls()).containsExactly("markDone a");
    }

    @Test
    void pauses_are_bounded() {
        store.failNext(1_000);
        record(new Outcome.Done());

        assertThat(pauses.stream().mapToLong(Long::longValue).sum())
                .isLessThan(Duration.ofSeconds(10).toMillis());
    }

    private void record(Outcome outcome) {
        recorder(patient).record(hot("a"), outcome);
    }

    private OutcomeRecorder recorder(Pause pause) {
        return new OutcomeRecorder(connections, store, metrics, pause);
    }
}
