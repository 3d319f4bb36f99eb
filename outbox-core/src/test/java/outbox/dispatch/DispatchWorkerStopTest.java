package outbox.dispatch;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
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
    void a_worker_that_is_interrupted_while_the_buffer_is_full_frees_its_event_and_goes_on() throws Exception {
        completions = new CompletionBuffer(1, 0);
        for (int i = 0; i < 4; i++) {
            completions.put(Completions.done("earlier-" + i));
        }
        queue(cold("a"));
        pollRequests.entered(QueuedEvent.Source.COLD);
        pollRequests.add(trigger);
        pollRequests.pollWhenColdEnded();
        Thread thread = new Thread(
                worker(new DefaultListenerRegistry().register(TYPE, event -> delivered.add("a")), List.of()));
        thread.start();
        Await.waiting(thread);
        assertThat(tracker.isFree("a")).isFalse();
        assertThat(trigger.requests).isEmpty();
        thread.interrupt();
        thread.join(10_000);

        assertThat(thread.isAlive()).isFalse();
        assertThat(delivered).containsExactly("a");
        assertThat(tracker.isFree("a")).isTrue();
        assertThat(trigger.requests).containsExactly("now");
        record();
        assertThat(store.calls()).noneMatch("markDone a"::equals);
    }

    @Test
    void an_outcome_that_comes_when_nobody_records_any_more_is_logged_and_its_event_freed() throws Exception {
        completions.close();
        assertThat(completions.takeGroup()).isEmpty();
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
        DispatchWorker worker =
                worker(new DefaultListenerRegistry().register(TYPE, event -> processed.countDown()), List.of());
        Thread thread = new Thread(worker);
        thread.start();
        Await.waiting(thread);
        thread.interrupt();
        queue.offer(QueuedEvent.Source.HOT, hot("a"));
        Await.opened(processed);
        queue.close();
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
        assertThat(queue.hotDepth()).isEqualTo(1);
    }
}
