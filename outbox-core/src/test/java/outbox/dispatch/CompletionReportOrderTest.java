package outbox.dispatch;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.dispatch.QueuedEvent.Source;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.Events;

import static org.assertj.core.api.Assertions.assertThat;

/** Which outcome of an event lets the next one of its key go on: here {@code b}, which waits for {@code a}. */
class CompletionReportOrderTest {

    private static final String NOW = "2026-01-01T00:00:00Z";

    private final CapturedLog log = new CapturedLog();
    private final OrderedParts parts = new OrderedParts();
    private final PollWindow window = parts.inFlight.openWindow();
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
        parts.report.recorded(Completion.of(first, Outcome.DONE));

        assertNextGoesOn();
        assertThat(window.isFinished("a")).isTrue();
        assertThat(parts.metrics.success).hasValue(1);
    }

    @Test
    void the_next_one_goes_on_after_one_that_is_dead_and_holds_nobody() {
        parts.report.recorded(Completion.of(first, new Outcome.Dead("no")));

        assertNextGoesOn();
        assertThat(window.isFinished("a")).isTrue();
        assertThat(parts.metrics.dead).hasValue(1);
    }

    @Test
    void the_next_one_is_given_back_after_one_that_is_dead_and_holds_its_key() {
        parts.report.recorded(Completion.of(first, new Outcome.Dead("no", true)));

        assertNextIsGivenBack();
        assertThat(parts.isGivenBack("a")).isTrue();
        assertThat(parts.trigger.requests).containsExactly(NOW);
    }

    @Test
    void the_next_one_is_given_back_after_one_that_is_to_be_retried() {
        parts.report.recorded(
                Completion.of(first, new Outcome.Retry(Completions.NEXT_AT, Duration.ofSeconds(7), "no")));

        assertNextIsGivenBack();
        assertThat(parts.isGivenBack("a")).isTrue();
        assertThat(parts.trigger.requests).containsExactly(NOW, "2026-01-01T00:00:07Z");
    }

    @Test
    void the_next_one_is_given_back_after_one_that_came_too_late() {
        parts.report.tooLate(Completion.of(first, Outcome.DONE));

        assertNextIsGivenBack();
        assertThat(parts.trigger.requests).containsExactly(NOW);
        assertThat(parts.metrics.tooLate).hasValue(1);
    }

    @Test
    void the_next_one_is_given_back_after_one_that_was_given_up() {
        parts.report.givenUp(Completion.of(first, Outcome.DONE));

        assertNextIsGivenBack();
        assertThat(parts.isGivenBack("a")).isTrue();
        parts.leases.releaseGivenBack();
        assertThat(parts.table.leaseCalls()).containsExactly("lease.release node-1 [a, b]");
    }

    @Test
    void the_end_of_an_event_without_a_key_lets_nobody_go_on() {
        parts.inFlight.tryAcquire("x");
        parts.report.recorded(Completion.of(Events.cold("x"), Outcome.DONE));

        assertThat(parts.queue.coldDepth()).isZero();
        assertThat(parts.keys.depth(Source.COLD)).isEqualTo(1);
        assertThat(window.isFinished("x")).isTrue();
    }

    @Test
    void one_that_was_claimed_again_before_it_was_reported_as_too_late_is_given_back() {
        parts.leases.claimedAgain("a", 2, parts.nanos.getAsLong());
        parts.report.tooLate(Completion.of(first, Outcome.DONE));
        parts.leases.releaseGivenBack();

        assertThat(parts.table.leaseCalls()).containsExactly("lease.release node-1 [a, b]");
    }

    @Test
    void the_depth_is_reported_when_those_that_waited_have_left() {
        parts.report.recorded(Completion.of(first, new Outcome.Retry(parts.clock.instant(), Duration.ZERO, "no")));

        assertThat(parts.metrics.depths).hasSize(1);
    }

    private void assertNextGoesOn() {
        assertThat(parts.queue.drain())
                .extracting(event -> event.envelope().eventId())
                .containsExactly("b");
        assertThat(parts.leases.held("b")).isNotNull();
        assertThat(parts.trigger.requests).isEmpty();
    }

    private void assertNextIsGivenBack() {
        assertThat(parts.queue.drain()).isEmpty();
        assertThat(parts.isGivenBack("b")).isTrue();
        assertThat(parts.keys.depth(Source.COLD)).isZero();
        assertThat(window.isFinished("a")).isFalse();
    }
}
