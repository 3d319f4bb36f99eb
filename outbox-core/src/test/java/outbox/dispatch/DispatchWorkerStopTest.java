package outbox.dispatch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.internal.outcome.CompletionBuffer;
import outbox.internal.outcome.Completions;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;
import outbox.testsupport.Await;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.Events.TYPE;
import static outbox.testsupport.Events.cold;
import static outbox.testsupport.Events.hot;

/** Interrupts, and the end: neither costs an event its outcome or leaves it in flight. */
@Timeout(20)
class DispatchWorkerStopTest extends DispatchWorkerFixture {

    @Test
    void an_interrupt_flag_left_by_a_listener_neither_costs_its_outcome_nor_ends_the_worker() {
        run(event -> Thread.currentThread().interrupt(), hot("a"), hot("b"));

        assertThat(Thread.interrupted()).isFalse();
        assertThat(store.groups()).containsExactly("markDoneAll [a, b]");
    }

    @Test
    void an_outcome_for_which_there_is_neither_room_nor_time_frees_its_event_whatever_interrupts_came()
            throws Exception {
        completions = new CompletionBuffer(1, 0);
        for (int i = 0; i < 4; i++) {
            completions.put(Completions.done("earlier-" + i));
        }
        queue(cold("a"));
        pollRequests().coldEnters();
        pollRequests().add(trigger);
        pollRequests().pollWhenColdEnded();
        Thread thread = new Thread(
                worker(new DefaultListenerRegistry().register(TYPE, event -> delivered.add("a")), List.of()));
        thread.start();
        Await.waiting(thread);
        assertThat(tracker.isFree("a")).isFalse();
        assertThat(trigger.requests).isEmpty();
        thread.interrupt();
        assertThat(tracker.isFree("a")).isFalse();
        completions.refuseWhenFull();
        thread.join(10_000);

        assertThat(thread.isAlive()).isFalse();
        assertThat(delivered).containsExactly("a");
        assertThat(tracker.isFree("a")).isTrue();
        assertThat(trigger.requests).containsExactly("now");
        record();
        assertThat(store.calls()).noneMatch("markDone a"::equals);
    }

    @Test
    void an_interrupt_between_the_return_of_the_listener_and_the_hand_over_does_not_cost_the_outcome() {
        retryPolicy = attempts -> {
            Thread.currentThread().interrupt();
            return 1_000;
        };
        run(
                event -> {
                    delivered.add(event.eventId());
                    throw new IllegalStateException("no");
                },
                hot("a"),
                hot("b"));

        assertThat(delivered).containsExactly("a", "b");
        assertThat(store.status("a")).isEqualTo(EventStatus.RETRY);
        assertThat(store.status("b")).isEqualTo(EventStatus.RETRY);
    }

    @Test
    void an_interrupt_that_was_meant_for_the_listener_before_does_not_reach_the_next_one() {
        List<Boolean> interrupted = new ArrayList<>();
        metrics.onDepths = () -> Thread.currentThread().interrupt();
        run(event -> interrupted.add(Thread.currentThread().isInterrupted()), hot("a"), hot("b"));

        assertThat(interrupted).containsExactly(false, false);
        assertThat(store.status("a")).isEqualTo(EventStatus.DONE);
        assertThat(store.status("b")).isEqualTo(EventStatus.DONE);
    }

    @Test
    void an_interrupt_of_the_forced_stop_that_comes_before_the_listener_keeps_it_from_being_called() {
        metrics.onDepths = () -> {
            forcedStop.countDown();
            Thread.currentThread().interrupt();
        };
        run(event -> delivered.add(event.eventId()), hot("a"));

        assertThat(delivered).isEmpty();
        assertThat(tracker.isFree("a")).isTrue();
        assertThat(store.status("a")).isEqualTo(EventStatus.NEW);
    }

    @Test
    void an_outcome_that_comes_when_nobody_records_any_more_is_logged_and_its_event_freed() throws Exception {
        record(); // what comes from now on comes too late
        run(event -> delivered.add(event.eventId()), hot("a"));

        assertThat(delivered).containsExactly("a");
        assertThat(store.calls()).isEmpty();
        assertThat(tracker.isFree("a")).isTrue();
        assertThat(log.at(Level.WARNING))
                .hasSize(1)
                .first()
                .asString()
                .contains("Event a", "after the dispatcher had been closed", "delivered again");
    }

    @Test
    void an_interrupt_while_waiting_does_not_end_the_worker() throws InterruptedException {
        CountDownLatch processed = new CountDownLatch(1);
        DeliveryRun worker =
                worker(new DefaultListenerRegistry().register(TYPE, event -> processed.countDown()), List.of());
        Thread thread = new Thread(worker);
        thread.start();
        Await.waiting(thread);
        thread.interrupt();
        queue().offer(hot("a"));
        Await.opened(processed);
        queue().close();
        thread.join(10_000);
        record();

        assertThat(thread.isAlive()).isFalse();
        assertThat(store.status("a")).isEqualTo(EventStatus.DONE);
    }

    @Test
    void an_event_interrupted_by_a_forced_stop_costs_no_attempt_and_stays_pending() {
        run(
                event -> {
                    forcedStop.countDown();
                    throw new InterruptedException();
                },
                hot("a", 2),
                hot("b"));

        assertThat(store.calls()).isEmpty();
        assertThat(store.status("a")).isEqualTo(EventStatus.NEW);
        assertThat(tracker.isFree("a")).isTrue();
        assertThat(metrics.dead).hasValue(0);
        assertThat(log.at(Level.WARNING)).hasSize(1).first().asString().contains("a", "stays pending");
    }

    @Test
    void an_event_that_succeeds_in_spite_of_a_forced_stop_is_done() {
        run(event -> forcedStop.countDown(), hot("a"), hot("b"));

        assertThat(store.calls()).containsExactly("markDone a");
        assertThat(queue().hot().size()).isEqualTo(1);
    }
}
