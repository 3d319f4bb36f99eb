package outbox.dispatch;

import java.util.List;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;

class InFlightEventsTest {

    private final DefaultInFlightTracker tracker = new DefaultInFlightTracker();
    private final InFlightEvents events = new InFlightEvents(tracker);

    @Test
    void an_event_that_ended_while_a_poll_was_under_way_is_not_taken_from_that_poll() {
        assertThat(events.tryAcquire("a")).isTrue();
        PollWindow window = events.openWindow();
        events.ended("a");

        assertThat(events.tryAcquire("a", window)).isFalse();
    }

    @Test
    void the_refusal_leaves_the_event_free_for_others() {
        PollWindow window = events.openWindow();
        events.ended("a");
        assertThat(events.tryAcquire("a", window)).isFalse();

        assertThat(events.tryAcquire("a")).isTrue();
    }

    @Test
    void an_event_that_is_running_is_not_taken() {
        PollWindow window = events.openWindow();
        assertThat(events.tryAcquire("a")).isTrue();

        assertThat(events.tryAcquire("a", window)).isFalse();
        assertThat(events.tryAcquire("a")).isFalse();
    }

    @Test
    void an_event_that_ended_before_the_window_was_opened_may_come_again() {
        events.ended("a");

        assertThat(events.tryAcquire("a", events.openWindow())).isTrue();
    }

    @Test
    void an_event_that_was_refused_by_a_full_queue_may_come_again() {
        PollWindow window = events.openWindow();
        assertThat(events.tryAcquire("a", window)).isTrue();
        events.release("a");

        assertThat(events.tryAcquire("a", window)).isTrue();
    }

    @Test
    void every_open_window_sees_what_ends() {
        PollWindow first = events.openWindow();
        events.ended("a");
        PollWindow second = events.openWindow();
        events.ended("b");

        assertThat(first.contains("a")).isTrue();
        assertThat(first.contains("b")).isTrue();
        assertThat(second.contains("a")).isFalse();
        assertThat(second.contains("b")).isTrue();
        assertThat(events.tryAcquire("a", first)).isFalse();
        assertThat(events.tryAcquire("b", second)).isFalse();
        assertThat(events.tryAcquire("a", second)).isTrue();
    }

    @Test
    void a_closed_window_collects_nothing_more_and_the_other_stays_open() {
        PollWindow first = events.openWindow();
        PollWindow second = events.openWindow();
        events.closeWindow(first);
        events.ended("a");

        assertThat(first.contains("a")).isFalse();
        assertThat(second.contains("a")).isTrue();
    }

    @Test
    void an_event_that_ended_while_it_was_announced_is_not_taken_from_its_writer() {
        events.announce("a");
        assertThat(events.tryAcquire("a")).isTrue();
        events.ended("a");

        assertThat(events.tryAcquireCommitted("a")).isFalse();
        assertThat(events.tryAcquire("a")).isTrue();
    }

    @Test
    void an_announced_event_that_nobody_took_before_is_taken_from_its_writer() {
        events.announce("a");
        events.ended("another");

        assertThat(events.tryAcquireCommitted("a")).isTrue();
        assertThat(events.tryAcquire("a")).isFalse();
    }

    @Test
    void an_event_that_ended_before_it_was_announced_is_taken() {
        events.ended("a");
        events.announce("a");

        assertThat(events.tryAcquireCommitted("a")).isTrue();
    }

    @Test
    void an_event_that_was_never_announced_is_taken() {
        events.ended("a");

        assertThat(events.tryAcquireCommitted("a")).isTrue();
    }

    @Test
    void an_announcement_is_forgotten_when_the_event_came_or_was_withdrawn() {
        for (String id : List.of("taken", "running", "ended", "withdrawn")) {
            events.announce(id);
        }
        assertThat(events.tryAcquireCommitted("taken")).isTrue();
        assertThat(events.tryAcquire("running")).isTrue();
        assertThat(events.tryAcquireCommitted("running")).isFalse();
        events.ended("ended");
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
                seenAtRelease[0] = window[0].contains(eventId);
            }
        });
        window[0] = watched.openWindow();
        watched.ended("a");

        assertThat(seenAtRelease[0]).isTrue();
    }

    @Test
    void the_windows_are_looked_at_after_the_event_was_acquired() {
        PollWindow[] window = new PollWindow[1];
        InFlightEvents watched = new InFlightEvents(new InFlightTracker() {
            @Override
            public boolean tryAcquire(String eventId) {
                window[0].add(eventId); // it ends at the last moment before it can be acquired
                return true;
            }

            @Override
            public void release(String eventId) {}
        });
        window[0] = watched.openWindow();

        assertThat(watched.tryAcquire("a", window[0])).isFalse();
    }
}
