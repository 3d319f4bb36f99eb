package outbox.dispatch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventListener;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;
import outbox.testsupport.RecordingMetrics.Depths;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.testsupport.Events.TYPE;
import static outbox.testsupport.Events.cold;
import static outbox.testsupport.Events.hot;

/** What becomes of the events that a worker takes. */
@Timeout(20)
class DispatchWorkerTest extends DispatchWorkerFixture {

    @Test
    void what_its_listener_took_is_done_and_free() {
        run(event -> delivered.add(event.eventId()), hot("a"));

        assertThat(delivered).containsExactly("a");
        assertThat(store.status("a")).isEqualTo(EventStatus.DONE);
        assertThat(metrics.success).hasValue(1);
        assertThat(metrics.lastDepths()).isEqualTo(new Depths(0, 0));
        assertThat(tracker.isFree("a")).isTrue();
    }

    @Test
    void a_single_worker_takes_two_hot_events_for_one_cold_and_starts_hot() {
        run(
                event -> delivered.add(event.eventId()),
                cold("c1"),
                cold("c2"),
                cold("c3"),
                hot("h1"),
                hot("h2"),
                hot("h3"),
                hot("h4"));

        assertThat(delivered).containsExactly("h1", "h2", "c1", "h3", "h4", "c2", "c3");
    }

    @Test
    void the_depth_is_reported_as_each_event_is_taken() {
        run(event -> {}, hot("a"), hot("b"), cold("c"));

        assertThat(metrics.depths).containsExactly(new Depths(1, 1), new Depths(0, 1), new Depths(0, 0));
    }

    @Test
    void a_failure_is_retried_later_and_the_event_is_free_meanwhile() {
        run(
                event -> {
                    throw new IllegalStateException("no");
                },
                hot("a"));

        assertThat(store.status("a")).isEqualTo(EventStatus.RETRY);
        assertThat(store.availableAt("a")).isEqualTo(clock.instant().plus(Duration.ofSeconds(1)));
        assertThat(store.error("a")).isEqualTo("java.lang.IllegalStateException: no");
        assertThat(metrics.failure).hasValue(1);
        assertThat(metrics.success).hasValue(0);
        assertThat(tracker.isFree("a")).isTrue();
    }

    @Test
    void an_error_is_a_failure_of_its_event_and_the_worker_lives_on() {
        run(
                event -> {
                    delivered.add(event.eventId());
                    if (event.eventId().equals("a")) {
                        throw new StackOverflowError();
                    }
                },
                hot("a"),
                hot("b"));

        assertThat(delivered).containsExactly("a", "b");
        assertThat(store.status("a")).isEqualTo(EventStatus.RETRY);
        assertThat(store.error("a")).isEqualTo("java.lang.StackOverflowError");
        assertThat(store.status("b")).isEqualTo(EventStatus.DONE);
    }

    @Test
    void the_last_failure_makes_the_event_dead() {
        run(
                event -> {
                    throw new IllegalStateException("no");
                },
                hot("a", 1),
                hot("b", 2));

        assertThat(store.status("a")).isEqualTo(EventStatus.RETRY);
        assertThat(store.status("b")).isEqualTo(EventStatus.DEAD);
        assertThat(metrics.dead).hasValue(1);
        assertThat(log.at(Level.SEVERE)).hasSize(1).first().asString().contains("is DEAD");
    }

    @Test
    void with_one_attempt_the_first_failure_is_final() {
        maxAttempts = 1;
        run(
                event -> {
                    throw new IllegalStateException("no");
                },
                hot("a"));

        assertThat(store.calls()).containsExactly("markDead a");
    }

    @Test
    void an_event_without_listener_is_dead_without_a_retry() {
        run(new DefaultListenerRegistry(), List.of(), hot("a"));

        assertThat(store.calls()).containsExactly("markDead a");
        assertThat(store.error("a")).contains("UnroutableEventException", "No listener", TYPE);
        assertThat(metrics.dead).hasValue(1);
    }

    @Test
    void an_interceptor_that_refuses_leads_to_a_retry() {
        EventInterceptor refusing = EventInterceptor.before(event -> {
            throw new IllegalStateException("refused");
        });
        run(
                new DefaultListenerRegistry().register(TYPE, event -> delivered.add(event.eventId())),
                List.of(refusing),
                hot("a"));

        assertThat(delivered).isEmpty();
        assertThat(store.status("a")).isEqualTo(EventStatus.RETRY);
    }

    @Test
    void an_after_interceptor_that_throws_does_not_change_the_outcome() {
        EventInterceptor broken = EventInterceptor.after((event, error) -> {
            throw new IllegalStateException("broken");
        });
        run(new DefaultListenerRegistry().register(TYPE, event -> {}), List.of(broken), hot("a"));

        assertThat(store.status("a")).isEqualTo(EventStatus.DONE);
    }

    @Test
    void an_event_without_a_row_is_delivered_and_counted() {
        run(event -> delivered.add(event.eventId()), hot("no-row"));

        assertThat(delivered).containsExactly("no-row");
        assertThat(metrics.success).hasValue(1);
    }

    @Test
    void an_outcome_that_is_refused_for_good_is_given_up_and_the_event_freed() {
        store.failNext(1_000);
        run(event -> delivered.add(event.eventId()), hot("a"));

        assertThat(store.calls()).hasSize(8).containsOnly("markDone a");
        assertThat(store.status("a")).isEqualTo(EventStatus.NEW);
        assertThat(metrics.success).hasValue(0);
        assertThat(tracker.isFree("a")).isTrue();
    }

    @Test
    void an_error_of_the_store_stops_neither_the_worker_nor_the_events_life() {
        store.failWith(new LinkageError("driver"));
        run(event -> delivered.add(event.eventId()), hot("a"), hot("b"));

        assertThat(delivered).containsExactly("a", "b");
        assertThat(tracker.isFree("a")).isTrue();
        assertThat(tracker.isFree("b")).isTrue();
        assertThat(log.at(Level.SEVERE)).hasSize(1).first().asString().contains("giving up");
    }

    @Test
    void what_was_delivered_stays_in_flight_until_it_is_recorded() {
        queue(hot("a"));
        worker(new DefaultListenerRegistry().register(TYPE, event -> delivered.add(event.eventId())), List.of())
                .run();
        assertThat(delivered).containsExactly("a");
        assertThat(tracker.isFree("a")).isFalse();
        assertThat(metrics.success).hasValue(0);
        record();

        assertThat(tracker.isFree("a")).isTrue();
        assertThat(metrics.success).hasValue(1);
    }

    @Test
    void whatever_fails_around_a_delivery_frees_the_event_and_the_worker_goes_on() {
        canWork = () -> {
            throw new IllegalStateException("nobody can be asked");
        };
        assertThatThrownBy(() -> pollRequests().pollWhenRoomFor(1)).isInstanceOf(IllegalStateException.class);
        run(event -> delivered.add(event.eventId()), cold("a"), cold("b"));

        assertThat(delivered).isEmpty();
        assertThat(tracker.isFree("a")).isTrue();
        assertThat(tracker.isFree("b")).isTrue();
        assertThat(log.at(Level.SEVERE)).hasSize(2).allMatch(line -> line.startsWith("Dispatcher loop failed"));
    }

    @Test
    void taking_an_event_makes_room_for_a_poll() {
        coldCapacity = 1;
        pollRequests().add(trigger);
        List<String> askedAtDelivery = new ArrayList<>();
        assertThat(tracker.tryAcquire("a")).isTrue();
        assertThat(queue().offer(cold("a"))).isTrue();
        pollRequests().pollWhenRoomFor(10);
        assertThat(trigger.requests).isEmpty();
        EventListener listener = event -> {
            askedAtDelivery.addAll(trigger.requests);
            queue().close();
        };
        worker(new DefaultListenerRegistry().register(TYPE, listener), List.of())
                .run();

        assertThat(askedAtDelivery).containsExactly("now");
    }

    @Test
    void an_event_that_ends_is_known_to_the_polls_under_way() {
        PollPass poll = flow().beginPoll();
        run(event -> {}, hot("a"));

        assertThat(poll.isStale(hot("a"))).isTrue();
    }
}
