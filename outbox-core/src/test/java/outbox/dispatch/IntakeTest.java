package outbox.dispatch;

import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.internal.lease.TestLeases;
import outbox.internal.outcome.Completions;
import outbox.internal.outcome.Verdict;
import outbox.internal.text.EventNames;
import outbox.spi.MetricsExporter;
import outbox.testsupport.ManualClock;
import outbox.testsupport.SignallingTracker;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.Events.cold;
import static outbox.testsupport.Events.event;
import static outbox.testsupport.Events.hot;

/** Each event comes in once, whoever brings it and however late. */
class IntakeTest {

    private final SignallingTracker tracker = new SignallingTracker();
    private final EventFlow flow = flow(tracker);
    private final Intake intake = flow.intake();

    private static EventFlow flow(InFlightTracker tracker) {
        FlowSettings settings = new FlowSettings(
                10,
                10,
                Long.MAX_VALUE,
                tracker,
                null,
                StubConnections.autoCommitting(),
                MetricsExporter.NOOP,
                new ManualClock("2026-01-01T00:00:00Z"),
                EventNames.PLAIN,
                Flows.NO_LISTENERS);
        return Flows.of(settings, TestLeases.off(), () -> true);
    }

    @Test
    void an_event_that_ended_while_a_poll_was_under_way_is_not_taken_from_that_poll() {
        intake.cold(cold("a"));
        PollPass poll = flow.beginPoll();
        end("a");
        waiting();

        assertThat(poll.found(cold("a"))).as("need not be given back").isTrue();
        assertThat(waiting()).isEmpty();
    }

    @Test
    void the_refusal_leaves_the_event_free_for_others() {
        PollPass poll = flow.beginPoll();
        end("a");
        poll.found(cold("a"));

        assertThat(tracker.isFree("a")).isTrue();
    }

    @Test
    void an_event_that_is_running_is_not_taken() {
        PollPass poll = flow.beginPoll();
        intake.cold(cold("a"));
        poll.found(cold("a"));
        intake.cold(cold("a"));
        intake.hot(hot("a"));

        assertThat(waiting()).containsExactly("a");
    }

    @Test
    void an_event_that_ended_before_the_poll_began_may_come_again() {
        end("a");
        flow.beginPoll().found(cold("a"));

        assertThat(waiting()).containsExactly("a");
    }

    @Test
    void an_event_that_was_refused_by_a_full_queue_may_come_again() {
        for (int i = 0; i < 10; i++) {
            assertThat(intake.cold(cold("e" + i))).isTrue();
        }
        PollPass poll = flow.beginPoll();
        assertThat(poll.found(cold("a"))).isFalse();
        assertThat(waiting()).hasSize(10);

        assertThat(poll.found(cold("a"))).isTrue();
        assertThat(waiting()).containsExactly("a");
    }

    @Test
    void every_open_poll_sees_what_ends() {
        PollPass first = flow.beginPoll();
        end("a");
        PollPass second = flow.beginPoll();
        end("b");

        assertThat(first.isStale(cold("a"))).isTrue();
        assertThat(first.isStale(cold("b"))).isTrue();
        assertThat(second.isStale(cold("a"))).isFalse();
        assertThat(second.isStale(cold("b"))).isTrue();
    }

    @Test
    void a_poll_that_has_ended_collects_nothing_more_and_the_other_goes_on() {
        PollPass first = flow.beginPoll();
        PollPass second = flow.beginPoll();
        first.end();
        end("a");

        assertThat(first.isStale(cold("a"))).isFalse();
        assertThat(second.isStale(cold("a"))).isTrue();
    }

    @Test
    void an_event_that_ended_while_it_was_announced_is_not_taken_from_its_writer() {
        intake.announce("a", 1);
        intake.cold(cold("a"));
        waiting();
        end("a");
        assertThat(intake.hot(hot("a"))).as("need not come again").isTrue();

        assertThat(waiting()).isEmpty();
        assertThat(tracker.isFree("a")).isTrue();
    }

    @Test
    void an_event_that_nobody_took_before_is_taken_from_its_writer() {
        intake.announce("a", 1);
        end("another");
        intake.hot(hot("a"));

        assertThat(waiting()).containsExactly("a");
    }

    @Test
    void an_event_that_ended_before_it_was_announced_or_was_never_announced_is_taken() {
        end("a");
        end("b");
        intake.announce("a", 1);
        intake.hot(hot("a"));
        intake.hot(hot("b"));

        assertThat(waiting()).containsExactly("a", "b");
    }

    @Test
    void an_announcement_is_forgotten_when_the_event_came_or_was_withdrawn() {
        for (String id : List.of("taken", "running", "ended", "withdrawn")) {
            intake.announce(id, 1);
        }
        assertThat(intake.announcedCount()).isEqualTo(4);
        assertThat(intake.announcedBytes()).isEqualTo(4);
        intake.hot(hot("taken"));
        intake.cold(cold("running"));
        intake.hot(hot("running"));
        end("ended");
        intake.hot(hot("ended"));
        intake.withdraw("withdrawn");

        assertThat(intake.announcedCount()).isZero();
        assertThat(intake.announcedBytes()).isZero();
    }

    @Test
    void polls_hear_of_the_end_before_the_event_is_released() {
        PollPass[] poll = new PollPass[1];
        boolean[] seenAtRelease = new boolean[1];
        EventFlow watched = flow(new InFlightTracker() {
            @Override
            public boolean tryAcquire(String eventId) {
                return true;
            }

            @Override
            public void release(String eventId) {
                seenAtRelease[0] = poll[0].isStale(cold(eventId));
            }
        });
        poll[0] = watched.beginPoll();
        watched.intake().ended(Completions.done("a"), true);

        assertThat(seenAtRelease[0]).isTrue();
    }

    @Test
    void a_poll_is_asked_after_the_event_was_acquired() {
        PollPass[] poll = new PollPass[1];
        EventFlow watched = flow(new InFlightTracker() {
            @Override
            public boolean tryAcquire(String eventId) {
                poll[0].ended(eventId, 0); // it ends at the last moment before it can be acquired
                return true;
            }

            @Override
            public void release(String eventId) {}
        });
        poll[0] = watched.beginPoll();
        poll[0].found(cold("a"));

        assertThat(watched.parts().queues().queue().drain()).isEmpty();
    }

    @Test
    void a_row_that_shows_the_failed_attempt_was_read_after_it_and_is_taken() {
        PollPass poll = flow.beginPoll();
        end("a");
        poll.found(new QueuedEvent(event("a"), QueuedEvent.Source.COLD, 1));

        assertThat(waiting()).containsExactly("a");
    }

    @Test
    void an_event_whose_outcome_was_not_recorded_may_come_again_from_the_same_poll() {
        PollPass poll = flow.beginPoll();
        intake.cold(cold("a"));
        waiting();
        intake.release("a", true);
        poll.found(cold("a"));

        assertThat(waiting()).containsExactly("a");
    }

    @Test
    void an_event_that_is_dealt_with_does_not_come_in_meanwhile() {
        intake.unlessOnItsWay("a", id -> intake.cold(cold("a")));
        assertThat(waiting()).isEmpty();
        assertThat(tracker.isFree("a")).isTrue();
        intake.cold(cold("a"));
        intake.unlessOnItsWay("a", id -> {
            throw new AssertionError("it is on its way");
        });
    }

    private void end(String eventId) {
        intake.ended(Completions.of(cold(eventId), Verdict.DONE), true);
    }

    private List<String> waiting() {
        return flow.parts().queues().queue().drain().stream()
                .map(each -> each.envelope().eventId())
                .toList();
    }
}
