package outbox.dispatch;

import java.time.Duration;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.internal.lease.LeaseBook;
import outbox.internal.lease.TestLeases;
import outbox.internal.outcome.Completion;
import outbox.internal.outcome.Verdict;
import outbox.internal.text.EventNames;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.ManualClock;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.SignallingTracker;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.internal.outcome.Completions.NEXT_AT;
import static outbox.internal.outcome.Completions.coldDone;
import static outbox.internal.outcome.Completions.dead;
import static outbox.internal.outcome.Completions.done;
import static outbox.internal.outcome.Completions.retry;
import static outbox.testsupport.Events.cold;
import static outbox.testsupport.Events.event;

class CompletionReportTest {

    private final CapturedLog log = new CapturedLog();
    private final RecordingMetrics metrics = new RecordingMetrics();
    private final SignallingTracker tracker = new SignallingTracker();
    private final ManualClock clock = new ManualClock("2026-01-01T00:00:00Z");
    private final RecordingTrigger trigger = new RecordingTrigger();
    private final LeaseBook leases = TestLeases.off();
    private final EventFlow flow = Flows.without(tracker, leases, metrics, clock);
    private final PollRequests requests = flow.parts().pollRequests();
    private final CompletionReport report = new CompletionReport(flow, metrics);
    private PollPass poll;

    @BeforeEach
    void takeTheEvent() {
        requests.add(trigger);
        assertThat(tracker.tryAcquire("a")).isTrue();
        poll = flow.beginPoll();
    }

    @AfterEach
    void stopCapturing() {
        log.close();
    }

    @Test
    void success_is_counted_and_logged_for_those_who_look_closely() {
        report.recorded(done("a"));

        assertCounted(1, 0, 0);
        assertThat(log.lines()).hasSize(1);
        assertThat(log.at(Level.FINE)).containsExactly("Event a (__GLOBAL__/UserCreated) is DONE");
        assertThat(trigger.requests).isEmpty();
    }

    @Test
    void a_failure_is_counted_and_polled_for_when_its_retry_is_due() {
        report.recorded(retry("a"));

        assertCounted(0, 1, 0);
        assertThat(log.lines()).hasSize(1);
        assertThat(log.at(Level.FINE))
                .containsExactly("Event a (__GLOBAL__/UserCreated) failed, next attempt at 2026-01-01T00:00:05Z:"
                        + " error of a");
        assertThat(trigger.requests).containsExactly(NEXT_AT.toString());
    }

    @Test
    void a_dead_event_is_counted_and_logged_as_an_error_with_the_number_of_its_failures() {
        report.recorded(dead("a"));

        assertCounted(0, 0, 1);
        assertThat(log.lines()).hasSize(1);
        assertThat(log.at(Level.SEVERE))
                .containsExactly("Event a (__GLOBAL__/UserCreated) is DEAD after 9 failed attempt(s): error of a");
        assertThat(trigger.requests).isEmpty();
    }

    @Test
    void what_is_recorded_is_free_and_has_ended_for_the_polls_under_way() {
        report.recorded(done("a"));

        assertThat(tracker.isFree("a")).isTrue();
        assertThat(poll.isStale(cold("a"))).isTrue();
    }

    @Test
    void what_was_given_up_is_free_but_has_not_ended_and_is_not_counted() {
        report.givenUp(done("a"));

        assertThat(tracker.isFree("a")).isTrue();
        assertThat(poll.isStale(cold("a"))).isFalse();
        assertCounted(0, 0, 0);
        assertThat(log.lines()).isEmpty();
    }

    @Test
    void a_poller_that_waits_for_its_events_hears_when_the_last_was_recorded_or_given_up() {
        requests.coldEnters();
        requests.coldEnters();
        requests.pollWhenColdEnded();
        report.recorded(coldDone("a"));
        report.recorded(done("hot"));
        assertThat(trigger.requests).isEmpty();
        report.givenUp(coldDone("b"));

        assertThat(trigger.requests).containsExactly("now");
    }

    @Test
    void deliveries_are_counted_by_type_with_the_time_they_took() {
        long millisecond = 1_000_000;
        report.recorded(delivered(Verdict.DONE, millisecond));
        report.recorded(delivered(retry("a").outcome(), 2 * millisecond));
        report.recorded(delivered(dead("a").outcome(), 3 * millisecond));
        report.recorded(dead("a"));

        assertThat(metrics.events)
                .containsExactly(
                        "SUCCESS UserCreated",
                        "FAILURE UserCreated",
                        "FAILURE UserCreated",
                        "DEAD UserCreated",
                        "DEAD UserCreated");
        assertThat(metrics.deliveryTimes)
                .containsExactly(Duration.ofMillis(1), Duration.ofMillis(2), Duration.ofMillis(3));
    }

    private static Completion delivered(Verdict outcome, long nanos) {
        return Completion.of(event("a"), true, 0, outcome, nanos, EventNames.PLAIN);
    }

    private void assertCounted(int success, int failure, int dead) {
        assertThat(metrics.success).hasValue(success);
        assertThat(metrics.failure).hasValue(failure);
        assertThat(metrics.dead).hasValue(dead);
    }
}
