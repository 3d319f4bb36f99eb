package outbox.dispatch;

import java.util.List;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;
import static outbox.testsupport.Events.cold;
import static outbox.testsupport.Events.event;

class InFlightEventsTest {

    private final DefaultInFlightTracker tracker = new DefaultInFlightTracker();
    private final InFlightEvents events = new InFlightEvents(tracker);

    @Test
    void an_event_that_ended_while_a_poll_was_under_way_is_not_taken_from_that_poll() {
        assertThat(events.tryAcquire("a")).isTrue();
        PollWindow window = events.openWindow();
        events.ended("a", 0);

        assertThat(events.tryAcquire(cold("a"), window)).isFalse();
    }

    @Test
    void the_refusal_leaves_the_event_free_for_others() {
        PollWindow window = events.openWindow();
        events.ended("a", 0);
        assertThat(events.tryAcquire(cold("a"), window)).isFalse();

        assertThat(events.tryAcquire("a")).isTrue();
    }

    @Test
    void an_event_that_is_running_is_not_taken() {
        PollWindow window = events.openWindow();
        assertThat(events.tryAcquire("a")).isTrue();

        assertThat(events.tryAcquire(cold("a"), window)).isFalse();
        assertThat(events.tryAcquire("a")).isFalse();
    }

    @Test
    void an_event_that_ended_before_the_window_was_opened_may_come_again() {
        events.ended("a", 0);

        assertThat(events.tryAcquire(cold("a"), events.openWindow())).isTrue();
    }

    @Test
    void an_event_that_was_refused_by_a_full_queue_may_come_again() {
        PollWindow window = events.openWindow();
        assertThat(events.tryAcquire(cold("a"), window)).isTrue();
        events.release("a");

        assertThat(events.tryAcquire(cold("a"), window)).isTrue();
    }

    @Test
    void every_open_window_sees_what_ends() {
        PollWindow first = events.openWindow();
        events.ended("a", 0);
        PollWindow second = events.openWindow();
        events.ended("b", 0);

        assertThat(first.isStale(cold("a"))).isTrue();
        assertThat(first.isStale(cold("b"))).isTrue();
        assertThat(second.isStale(cold("a"))).isFalse();
        assertThat(second.isStale(cold("b"))).isTrue();
        assertThat(events.tryAcquire(cold("a"), first)).isFalse();
        assertThat(events.tryAcquire(cold("b"), second)).isFalse();
        assertThat(events.tryAcquire(cold("a"), second)).isTrue();
    }

    @Test
    void a_closed_window_collects_nothing_more_and_the_other_stays_open() {
        PollWindow first = events.openWindow();
        PollWindow second = events.openWindow();
        events.closeWindow(first);
        events.ended("a", 0);

        assertThat(first.isStale(cold("a"))).isFalse();
        assertThat(second.isStale(cold("a"))).isTrue();
    }

    @Test
    void an_event_that_ended_while_it_was_announced_is_not_taken_from_its_writer() {
        events.announce("a", 1);
        assertThat(events.tryAcquire("a")).isTrue();
        events.ended("a", 0);

        assertThat(events.tryAcquireCommitted("a")).isFalse();
        assertThat(events.tryAcquire("a")).isTrue();
    }

    @Test
    void an_announced_event_that_nobody_took_before_is_taken_from_its_writer() {
        events.announce("a", 1);
        events.ended("another", 0);

        assertThat(events.tryAcquireCommitted("a")).isTrue();
        assertThat(events.tryAcquire("a")).isFalse();
    }

    @Test
    void an_event_that_ended_before_it_was_announced_is_taken() {
        events.ended("a", 0);
        events.announce("a", 1);

        assertThat(events.tryAcquireCommitted("a")).isTrue();
    }

    @Test
    void an_event_that_was_never_announced_is_taken() {
        events.ended("a", 0);

        assertThat(events.tryAcquireCommitted("a")).isTrue();
    }

    @Test
    void an_announcement_is_forgotten_when_the_event_came_or_was_withdrawn() {
        for (String id : List.of("taken", "running", "ended", "withdrawn")) {
            events.announce(id, 1);
        }
        assertThat(events.tryAcquireCommitted("taken")).isTrue();
        assertThat(events.tryAcquire("running")).isTrue();
        assertThat(events.tryAcquireCommitted("running")).isFalse();
        events.ended("ended", 0);
        assertThat(events.tryAcquireCommitted("ended")).isFalse();
        events.withdraw("withdrawn");

        assertThat(events).extracting("announced").asInstanceOf(MAP).isEmpty();
    }

    @Test
    void the_event_enters_the_windows_before_it_is_released() {
        PollWindow[] window = new PollWindow[1];
        boolean[] seenAtRelease = new boolean[1];
        InFlightEvents watched = new InFlightEvents(new InFlightTracker() {
            @Override
            public boolean tryAcquire(String eventId) {
                return true;
            }

            @Override
            public void release(String eventId) {
                seenAtRelease[0] = window[0].isStale(cold(eventId));
            }
        });
        window[0] = watched.openWindow();
        watched.ended("a", 0);

        assertThat(seenAtRelease[0]).isTrue();
    }

    @Test
    void the_windows_are_looked_at_after_the_event_was_acquired() {
        PollWindow[] window = new PollWindow[1];
        InFlightEvents watched = new InFlightEvents(new InFlightTracker() {
            @Override
            public boolean tryAcquire(String eventId) {
                window[0].add(eventId, 0); // it ends at the last moment before it can be acquired
                return true;
            }

            @Override
            public void release(String eventId) {}
        });
        window[0] = watched.openWindow();

        assertThat(watched.tryAcquire(cold("a"), window[0])).isFalse();
    }

    @Test
    void a_row_that_shows_the_failed_attempt_was_read_after_it_and_is_taken() {
        PollWindow window = events.openWindow();
        events.ended("a", 0);

        QueuedEvent afterTheFailure = new QueuedEvent(event("a"), QueuedEvent.Source.COLD, 1);
        assertThat(events.tryAcquire(afterTheFailure, window)).isTrue();
    }

    @Test
    void an_event_whose_outcome_was_not_recorded_may_come_again_from_the_same_poll() {
        PollWindow window = events.openWindow();
        assertThat(events.tryAcquire("a")).isTrue();
        events.release("a");

        assertThat(events.tryAcquire(cold("a"), window)).isTrue();
    }
}
