package outbox.dispatch;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.dispatch.QueuedEvent.Source;
import outbox.internal.outcome.Completion;
import outbox.internal.outcome.Completions;
import outbox.internal.outcome.Verdict;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.Events;
import outbox.testsupport.RecordingMetrics;

import static org.assertj.core.api.Assertions.assertThat;

/** Which outcome of an event lets the next one of its key go on: here {@code b}, which waits for {@code a}. */
class CompletionReportOrderTest {

    private static final String NOW = "2026-01-01T00:00:00Z";

    private final CapturedLog log = new CapturedLog();
    private final OrderedParts parts = new OrderedParts();
    private final PollPass poll = parts.flow.beginPoll();
    private QueuedEvent first;

    @BeforeEach
    void letOneWaitForAnother() throws Exception {
        parts.bring("1", "a", "b");
        first = parts.queue.take();
    }

    @AfterEach
    void stopCapturing() {
        log.close();
    }

    @Test
    void the_next_one_goes_on_after_one_that_is_done() {
        parts.report.recorded(ended(Verdict.DONE));

        assertNextGoesOn();
        assertThat(poll.isFinished("a")).isTrue();
        assertThat(parts.metrics.success).hasValue(1);
    }

    @Test
    void the_next_one_goes_on_after_one_that_is_dead_and_holds_nobody() {
        parts.report.recorded(ended(new Verdict.Dead("no")));

        assertNextGoesOn();
        assertThat(poll.isFinished("a")).isTrue();
        assertThat(parts.metrics.dead).hasValue(1);
    }

    @Test
    void the_next_one_is_given_back_after_one_that_is_dead_and_holds_its_key() {
        parts.report.recorded(ended(new Verdict.Dead("no", true)));

        assertNextIsGivenBack();
        assertThat(parts.isGivenBack("a")).isTrue();
        assertThat(parts.trigger.requests).containsExactly(NOW);
    }

    @Test
    void the_next_one_is_given_back_after_one_that_is_to_be_retried() {
        parts.report.recorded(ended(new Verdict.Retry(Completions.NEXT_AT, Duration.ofSeconds(7), "no")));

        assertNextIsGivenBack();
        assertThat(parts.isGivenBack("a")).isTrue();
        assertThat(parts.trigger.requests).containsExactly(NOW, "2026-01-01T00:00:07Z");
    }

    @Test
    void the_next_one_is_given_back_after_one_that_came_too_late() {
        parts.report.tooLate(ended(Verdict.DONE));

        assertNextIsGivenBack();
        assertThat(parts.trigger.requests).containsExactly(NOW);
        assertThat(parts.metrics.tooLate).hasValue(1);
    }

    @Test
    void the_next_one_is_given_back_after_one_that_was_given_up() {
        parts.report.givenUp(ended(Verdict.DONE));

        assertNextIsGivenBack();
        assertThat(parts.isGivenBack("a")).isTrue();
        poll.end();
        parts.release();
        assertThat(parts.table.leaseCalls()).containsExactly("lease.release node-1 [a, b]");
    }

    @Test
    void the_end_of_an_event_without_a_key_lets_nobody_go_on() {
        parts.tracker.tryAcquire("x");
        parts.report.recorded(Completions.of(Events.cold("x"), Verdict.DONE));

        assertThat(parts.queue.cold().size()).isZero();
        assertThat(parts.queues.depth(Source.COLD)).isEqualTo(1);
        assertThat(poll.isFinished("x")).isTrue();
    }

    @Test
    void one_that_was_claimed_again_before_it_was_reported_as_too_late_is_given_back() {
        parts.leases.claimedAgain("a", parts.nanos.getAsLong());
        parts.report.tooLate(ended(Verdict.DONE));
        poll.end();
        parts.release();

        assertThat(parts.table.leaseCalls()).containsExactly("lease.release node-1 [a, b]");
    }

    @Test
    void the_depth_is_reported_when_those_that_waited_have_left() {
        parts.report.recorded(ended(new Verdict.Retry(parts.clock.instant(), Duration.ZERO, "no")));

        assertThat(parts.metrics.lastDepths()).isEqualTo(new RecordingMetrics.Depths(0, 0));
    }

    private Completion ended(Verdict outcome) {
        return Completions.of(first, outcome).under(parts.leases.holdOn("a"));
    }

    private void assertNextGoesOn() {
        assertThat(parts.queue.drain())
                .extracting(event -> event.envelope().eventId())
                .containsExactly("b");
        assertThat(parts.leases.isHeld("b")).isTrue();
        assertThat(parts.trigger.requests).isEmpty();
    }

    private void assertNextIsGivenBack() {
        assertThat(parts.queue.drain()).isEmpty();
        assertThat(parts.isGivenBack("b")).isTrue();
        assertThat(parts.queues.depth(Source.COLD)).isZero();
        assertThat(poll.isFinished("a")).isFalse();
    }
}
