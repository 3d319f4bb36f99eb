package outbox.dispatch;

import java.time.Duration;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.internal.lease.LeaseBook;
import outbox.internal.lease.TestLeases;
import outbox.internal.outcome.Completion;
import outbox.internal.outcome.Completions;
import outbox.internal.outcome.Verdict;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.LeasingStore;
import outbox.testsupport.ManualClock;
import outbox.testsupport.ManualNanos;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.SignallingTracker;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.internal.outcome.Completions.coldDone;
import static outbox.internal.outcome.Completions.done;
import static outbox.internal.outcome.Completions.retry;
import static outbox.testsupport.Events.cold;
import static outbox.testsupport.Events.hot;

/** What is reported of events that were leased. */
class CompletionReportLeaseTest {

    private final CapturedLog log = new CapturedLog();
    private final ManualClock clock = new ManualClock("2026-01-01T00:00:00Z");
    private final ManualNanos nanos = new ManualNanos();
    private final LeasingStore store = new LeasingStore(clock);
    private final LeaseBook leases = TestLeases.on(nanos);
    private final RecordingMetrics metrics = new RecordingMetrics();
    private final SignallingTracker tracker = new SignallingTracker();
    private final RecordingTrigger trigger = new RecordingTrigger();
    private final EventFlow flow = Flows.without(tracker, leases, metrics, clock);
    private final PollRequests requests = flow.parts().pollRequests();
    private final CompletionReport report = new CompletionReport(flow, metrics);

    @BeforeEach
    void takeTheEvent() {
        requests.add(trigger);
        assertThat(tracker.tryAcquire("a")).isTrue();
        leases.claimed("a", null, nanos.getAsLong(), true);
    }

    @AfterEach
    void stopCapturing() {
        log.close();
    }

    @Test
    void what_came_too_late_is_counted_as_that_and_logged_as_a_warning() {
        report.tooLate(held(done("a")));

        assertThat(metrics.tooLate).hasValue(1);
        assertThat(metrics.success).hasValue(0);
        assertThat(log.lines()).hasSize(1);
        assertThat(log.at(Level.WARNING))
                .containsExactly("Event a (__GLOBAL__/UserCreated) had been taken over by another process when its"
                        + " outcome Done was to be recorded; the outcome is dropped");
    }

    @Test
    void a_failure_that_came_too_late_is_not_polled_for() {
        report.tooLate(held(retry("a")));

        assertThat(metrics.failure).hasValue(0);
        assertThat(trigger.requests).isEmpty();
    }

    @Test
    void what_came_too_late_is_free_and_has_ended_and_is_not_held_any_more() {
        PollPass poll = flow.beginPoll();
        report.tooLate(held(done("a")));
        TestLeases.release(leases, store.leases());

        assertThat(tracker.isFree("a")).isTrue();
        assertThat(poll.isStale(cold("a"))).isTrue();
        assertThat(leases.isHeld("a")).isFalse();
        assertThat(store.calls()).isEmpty();
    }

    @Test
    void a_poller_that_waits_for_its_events_hears_of_one_that_came_too_late() {
        requests.coldEnters();
        requests.pollWhenColdEnded();
        report.tooLate(held(coldDone("a")));

        assertThat(trigger.requests).containsExactly("now");
    }

    @Test
    void what_is_recorded_is_not_held_any_more() {
        report.recorded(held(done("a")));
        TestLeases.release(leases, store.leases());

        assertThat(leases.isHeld("a")).isFalse();
        assertThat(metrics.success).hasValue(1);
        assertThat(store.calls()).isEmpty();
    }

    @Test
    void the_retry_of_a_leased_event_is_polled_for_when_its_delay_has_passed_since_the_mark() {
        report.recorded(held(retry("a")));

        assertThat(trigger.requests).containsExactly("2026-01-01T00:00:07Z");
    }

    @Test
    void an_event_that_died_with_its_processes_is_dead_after_the_attempts_it_had() {
        report.recorded(held(Completions.of(hot("a", 10), new Verdict.Dead(null))));

        assertThat(metrics.dead).hasValue(1);
        assertThat(log.at(Level.SEVERE))
                .containsExactly("Event a (__GLOBAL__/UserCreated) is DEAD after 10 failed attempt(s):"
                        + " the last attempts left no outcome");
    }

    @Test
    void what_was_given_up_is_given_back() {
        report.givenUp(held(done("a")));
        TestLeases.release(leases, store.leases());

        assertThat(store.calls()).containsExactly("lease.release node-1 [a]");
    }

    @Test
    void a_suspect_that_waits_is_polled_for_when_it_is_due_and_told_as_a_warning() {
        report.recorded(held(Completions.of(hot("a", 1), new Verdict.Postponed(Duration.ofSeconds(9), 2))));

        assertThat(trigger.requests).containsExactly("2026-01-01T00:00:09Z");
        assertThat(tracker.isFree("a")).isTrue();
        assertThat(leases.isHeld("a")).isFalse();
        assertThat(metrics.failure).hasValue(0);
        assertThat(log.at(Level.WARNING))
                .containsExactly("Event a (__GLOBAL__/UserCreated) was being delivered when its process ended,"
                        + " 2 time(s) in a row; next attempt in PT9S");
    }

    private Completion held(Completion completion) {
        return completion.under(leases.holdOn(completion.eventId()));
    }
}
