package outbox.dispatch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventListener;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.ManualClock;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.RecordingMetrics.Depths;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.SignallingTracker;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.testsupport.Events.TYPE;
import static outbox.testsupport.Events.cold;
import static outbox.testsupport.Events.hot;

/**
 * The worker's loop, run in the test's own thread: what is queued is processed until the closed queue is empty; then what it handed
 * on is recorded.
 */
@Timeout(20)
class DispatchWorkerTest {

    private final CapturedLog log = new CapturedLog();
    private final FairEventQueue queue = new FairEventQueue(100, 100);
    private final RecordingMetrics metrics = new RecordingMetrics();
    private final SignallingTracker tracker = new SignallingTracker();
    private final InFlightEvents inFlight = new InFlightEvents(tracker);
    private final StubConnections connections = StubConnections.autoCommitting();
    private final CountDownLatch forcedStop = new CountDownLatch(1);
    private final ManualClock clock = new ManualClock("2026-01-01T00:00:00Z");
    private PollRequests pollRequests = new PollRequests(queue::coldRemainingCapacity, 100, clock);
    private final RecordingTrigger trigger = new RecordingTrigger();
    private CompletionBuffer completions = new CompletionBuffer(100, 0);
    private final List<String> delivered = new ArrayList<>();
    private final RecordingStore store = new RecordingStore().add("a", "b");
    private int maxAttempts = 3;

    @AfterEach
    void stopCapturing() {
        log.close();
        assertThat(connections.leaked()).isZero();
    }

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

        assertThat(store.calls()).hasSize(CompletionWriter.MAX_REFUSALS).containsOnly("markDone a");
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
    void an_interrupt_flag_left_by_a_listener_neither_costs_its_outcome_nor_ends_the_worker() {
        run(event -> Thread.currentThread().interrupt(), hot("a"), hot("b"));

        assertThat(Thread.interrupted()).isFalse();
        assertThat(store.groups()).containsExactly("markDoneAll [a, b]");
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
    void whatever_fails_around_a_delivery_frees_the_event_and_the_worker_goes_on() {
        pollRequests = new PollRequests(
                () -> {
                    throw new IllegalStateException("no room to be seen");
                },
                10,
                clock);
        assertThatThrownBy(() -> pollRequests.pollWhenRoomFor(1)).isInstanceOf(IllegalStateException.class);
        run(event -> delivered.add(event.eventId()), hot("a"), hot("b"));

        assertThat(delivered).isEmpty();
        assertThat(tracker.isFree("a")).isTrue();
        assertThat(tracker.isFree("b")).isTrue();
        assertThat(log.at(Level.SEVERE)).hasSize(2).allMatch(line -> line.startsWith("Dispatcher loop failed"));
    }

    @Test
    void taking_an_event_makes_room_for_a_poll() {
        PollRequests requests = new PollRequests(() -> 10 - queue.coldDepth(), 20, clock);
        requests.add(trigger);
        List<String> askedAtDelivery = new ArrayList<>();
        queue(cold("a"));
        requests.pollWhenRoomFor(10);
        assertThat(trigger.requests).isEmpty();
        pollRequests = requests;
        worker(
                        new DefaultListenerRegistry().register(TYPE, event -> askedAtDelivery.addAll(trigger.requests)),
                        List.of())
                .run();

        assertThat(askedAtDelivery).containsExactly("now");
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

    @Test
    void an_event_that_ends_is_known_to_the_polls_under_way() {
        PollWindow window = inFlight.openWindow();
        run(event -> {}, hot("a"));

        assertThat(window.isStale(hot("a"))).isTrue();
    }

    private void run(EventListener listener, QueuedEvent... events) {
        run(new DefaultListenerRegistry().register(TYPE, listener), List.of(), events);
    }

    private void run(DefaultListenerRegistry registry, List<EventInterceptor> interceptors, QueuedEvent... events) {
        queue(events);
        worker(registry, interceptors).run();
        record();
    }

    private void queue(QueuedEvent... events) {
        for (QueuedEvent event : events) {
            assertThat(inFlight.tryAcquire(event.envelope().eventId())).isTrue();
            assertThat(queue.offer(event.source(), event)).isTrue();
        }
        queue.close();
    }

    private void record() {
        completions.close();
        new Completer(
                        completions,
                        new CompletionWriter(
                                connections,
                                new StoreMarks(store, CompletionMode.MARK_DONE),
                                time -> true,
                                new CompletionReport(inFlight, metrics, pollRequests)))
                .run();
    }

    private DispatchWorker worker(DefaultListenerRegistry registry, List<EventInterceptor> interceptors) {
        return new DispatchWorker(
                queue,
                new QueueDepthReporter(queue, metrics),
                inFlight,
                new EventDelivery(registry, interceptors),
                new FailureJudge(attempts -> 1_000, maxAttempts, clock),
                completions,
                pollRequests,
                forcedStop);
    }
}
