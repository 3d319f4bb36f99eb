package outbox.dispatch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.BreakerSettings;
import outbox.Delivery;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.Listener;
import outbox.Outcome;
import outbox.ReceiverAwayException;
import outbox.dispatch.QueuedEvent.Source;
import outbox.model.EventStatus;
import outbox.model.ListenerState;
import outbox.model.PauseTarget;
import outbox.registry.DefaultListenerRegistry;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.ManualAlarms;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;
import outbox.util.DaemonThreadFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** Listeners with limits, stages and batches, on the threads of a dispatcher. */
@Timeout(30)
class ListenerThreadsTest {

    private final CapturedLog log = new CapturedLog();
    private final ManualAlarms time = new ManualAlarms();
    private final RecordingStore store = new RecordingStore();
    private final RecordingMetrics metrics = new RecordingMetrics();
    private final StubConnections connections = StubConnections.autoCommitting();
    private final DefaultListenerRegistry registry = new DefaultListenerRegistry();
    private final CountDownLatch letGo = new CountDownLatch(1);
    private final List<String> delivered = new CopyOnWriteArrayList<>();
    private final LinkedBlockingQueue<String> begun = new LinkedBlockingQueue<>();
    private OutboxDispatcher dispatcher;

    private void start(int workers, UnaryOperator<OutboxDispatcher.Builder> more) {
        dispatcher = more.apply(OutboxDispatcher.builder()
                        .connectionProvider(connections)
                        .outboxStore(store)
                        .listenerRegistry(registry)
                        .workerCount(workers)
                        .metrics(metrics)
                        .completionLingerMs(0)
                        .alarms(time)
                        .nanoTime(time))
                .build();
    }

    @AfterEach
    void close() {
        letGo.countDown();
        if (dispatcher != null) {
            dispatcher.close();
        }
        log.close();
        assertThat(connections.leaked()).isZero();
    }

    private void bring(String type, String... ids) {
        store.add(ids);
        for (String id : ids) {
            assertThat(dispatcher.enqueueCold(queued(type, id, 0))).isTrue();
        }
    }

    private static QueuedEvent queued(String type, String id, int attempts) {
        return new QueuedEvent(
                EventEnvelope.builder(type).eventId(id).payloadJson("{}").build(), Source.COLD, attempts);
    }

    private String nextBegun() throws InterruptedException {
        String id = begun.poll(10, TimeUnit.SECONDS);
        assertThat(id).as("a delivery that begins").isNotNull();
        return id;
    }

    private EventListener noting() {
        return event -> {
            begun.add(event.eventId());
            delivered.add(event.eventId());
        };
    }

    private EventListener hanging() {
        return event -> {
            begun.add(event.eventId());
            Await.deafly(letGo);
        };
    }

    private ListenerState state(String name) {
        return dispatcher.listenerStates().stream()
                .filter(state -> state.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void an_event_that_is_paused_when_its_turn_comes_leaves_its_place_to_others() throws Exception {
        PauseTarget type = PauseTarget.eventType("T");
        registry.register(
                "T",
                Listener.of((EventEnvelope event) -> {
                            begun.add(event.eventId());
                            if (event.eventId().equals("a")) {
                                Await.deafly(letGo);
                            }
                        })
                        .concurrency(1)
                        .named("narrow"));
        start(2, builder -> builder);
        bring("T", "a");
        assertThat(nextBegun()).isEqualTo("a");
        bring("T", "b");
        Await.until(() -> state("narrow").waiting() == 1);
        dispatcher.pause(type, "stocktaking");
        letGo.countDown();

        Await.until(() -> state("narrow").running() + state("narrow").waiting() == 0);
        dispatcher.resume(type);
        bring("T", "c");
        assertThat(nextBegun()).isEqualTo("c");
    }

    @Test
    void a_listener_that_hangs_leaves_a_worker_to_the_others() throws Exception {
        registry.register("Slow", hanging()).register("Quick", noting());
        start(3, builder -> builder.fairWorkers());
        bring("Slow", "s1", "s2", "s3", "s4");
        nextBegun(); // which of them are first depends on the workers
        nextBegun();
        bring("Quick", "q1", "q2", "q3");

        Await.until(() -> delivered.size() == 3);
        assertThat(delivered).containsExactly("q1", "q2", "q3");
        assertThat(state("__GLOBAL__/Slow").running()).isEqualTo(2);
        assertThat(state("__GLOBAL__/Slow").waiting()).isEqualTo(2);
    }

    @Test
    void no_more_deliveries_run_at_once_than_a_listener_allows() {
        AtomicInteger now = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        registry.register(
                "T",
                Listener.of(event -> {
                            most.accumulateAndGet(now.incrementAndGet(), Math::max);
                            now.decrementAndGet();
                            delivered.add(event.eventId());
                        })
                        .concurrency(2));
        start(8, builder -> builder);
        for (int i = 0; i < 200; i++) {
            bring("T", "e" + i);
        }

        Await.until(() -> delivered.size() == 200);
        assertThat(most.get()).isLessThanOrEqualTo(2);
    }

    @Test
    void a_call_that_is_too_long_is_interrupted_and_has_failed_whatever_it_returns() throws Exception {
        registry.register(
                "T",
                Listener.of(event -> {
                            begun.add(event.eventId());
                            try {
                                letGo.await();
                            } catch (InterruptedException e) {
                                delivered.add("interrupted");
                            }
                        })
                        .timeout(Duration.ofSeconds(5)));
        start(1, builder -> builder);
        bring("T", "a");
        nextBegun();
        time.advance(Duration.ofSeconds(5));

        Await.until(() -> store.status("a") == EventStatus.RETRY);
        assertThat(delivered).containsExactly("interrupted");
        assertThat(store.error("a"))
                .isEqualTo(
                        "java.util.concurrent.TimeoutException: the delivery took longer than the listener's timeout of PT5S");
        assertThat(store.attempts("a")).isEqualTo(1);
    }

    @Test
    void a_call_that_does_not_end_is_left_alone_its_worker_replaced_and_its_event_kept_away() throws Exception {
        registry.register(
                        "T",
                        Listener.of(hanging()).timeout(Duration.ofSeconds(5)).named("deaf"))
                .register("Other", noting());
        start(1, builder -> builder);
        bring("T", "a");
        nextBegun();
        time.advance(Duration.ofSeconds(6));
        Await.until(() -> store.status("a") == EventStatus.RETRY);
        bring("Other", "b");
        assertThat(nextBegun()).as("on another worker").isEqualTo("b");
        assertThat(metrics.abandoned).hasValue(1);
        assertThat(state("deaf").abandoned()).isEqualTo(1);

        Await.until(() -> metrics.failure.get() == 1); // it is free to come again
        dispatcher.enqueueCold(queued("T", "a", 1));
        Await.until(() -> store.error("a").startsWith("An earlier call"));
        assertThat(store.attempts("a")).as("not counted").isEqualTo(1);
        letGo.countDown();
        Await.until(() -> state("deaf").abandoned() == 0);
        assertThat(store.status("a")).as("its late end changes nothing").isEqualTo(EventStatus.RETRY);
        Await.until(() -> dispatcher.enqueueCold(queued("T", "a", 1)) && !begun.isEmpty());
        assertThat(nextBegun()).isEqualTo("a");
        Await.until(() -> store.status("a") == EventStatus.DONE);
    }

    @Test
    void too_many_calls_that_do_not_end_pause_their_listener_which_says_so() throws Exception {
        registry.register(
                "T",
                Listener.of(hanging())
                        .timeout(Duration.ofSeconds(1))
                        .mostAbandoned(2)
                        .named("deaf"));
        start(2, builder -> builder);
        bring("T", "a", "b");
        nextBegun();
        nextBegun();
        time.advance(Duration.ofSeconds(3));

        Await.until(() -> state("deaf").paused() != null);
        assertThat(state("deaf").paused()).isEqualTo("2 call(s) did not end in time");
        assertThat(dispatcher.health().problems()).anyMatch(problem -> problem.contains("deaf"));
        store.add("c");
        dispatcher.enqueueCold(queued("T", "c", 0));
        Await.until(() -> dispatcher.flow().parts().queues().depth(Source.COLD) == 0);
        assertThat(store.status("c")).isEqualTo(EventStatus.NEW);
        assertThat(begun).isEmpty();
    }

    @Test
    void threads_of_its_own_take_no_worker() throws Exception {
        Set<String> threads = ConcurrentHashMap.newKeySet();
        registry.register(
                        "T",
                        Listener.of(event -> {
                                    threads.add(Thread.currentThread().getName());
                                    hanging().onEvent(event);
                                })
                                .threads(new DaemonThreadFactory("mail-"), 3))
                .register("Other", noting());
        start(1, builder -> builder);
        bring("T", "a", "b", "c", "d");
        assertThat(List.of(nextBegun(), nextBegun(), nextBegun())).containsExactlyInAnyOrder("a", "b", "c");
        bring("Other", "o");

        assertThat(nextBegun()).isEqualTo("o");
        assertThat(threads).containsExactlyInAnyOrder("mail-1", "mail-2", "mail-3");
        letGo.countDown();
        assertThat(nextBegun()).isEqualTo("d");
        Await.until(() -> store.status("d") == EventStatus.DONE);
    }

    @Test
    void what_was_to_go_on_and_is_given_back_leaves_its_slot() throws Exception {
        CountDownLatch first = new CountDownLatch(1);
        registry.register(
                        "T",
                        Listener.of(event -> {
                                    begun.add(event.eventId());
                                    Await.opened(first);
                                })
                                .concurrency(1))
                .register("Busy", hanging());
        start(2, builder -> builder);
        bring("T", "a", "b");
        nextBegun();
        Await.until(() -> state("__GLOBAL__/T").waiting() == 1);
        bring("Busy", "x");
        nextBegun();
        store.add("y");
        dispatcher.enqueueCold(queued("Busy", "y", 0)); // before b in the queue
        first.countDown(); // its worker goes on with y
        nextBegun();
        Await.until(() -> state("__GLOBAL__/T").running() == 1);
        dispatcher.flow().discardWaiting();

        assertThat(state("__GLOBAL__/T").running()).isZero();
    }

    @Test
    void a_paused_listener_gets_nothing_until_it_goes_on_and_the_others_do() throws Exception {
        registry.register("T", Listener.of(noting()).named("mail")).register("Other", noting());
        start(1, builder -> builder);
        dispatcher.pause(PauseTarget.listener("mail"), "maintenance");
        bring("T", "a");
        bring("Other", "b");
        assertThat(nextBegun()).isEqualTo("b");
        assertThat(state("mail").paused()).isEqualTo("maintenance");
        assertThat(store.status("a")).isEqualTo(EventStatus.NEW);
        dispatcher.resume(PauseTarget.listener("mail"));
        Await.until(() -> dispatcher.flow().parts().intake().commitTimesKept() == 0
                && dispatcher.enqueueCold(queued("T", "a", 0))
                && !begun.isEmpty());

        assertThat(nextBegun()).isEqualTo("a");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> dispatcher.pause(PauseTarget.listener("nail"), "x"))
                .withMessageContaining("there is no listener \"nail\"")
                .withMessageContaining("mail");
    }

    @Test
    void while_a_receiver_is_away_no_attempt_is_used_up_and_probes_find_it_again() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        boolean[] away = {true};
        registry.register(
                "T",
                Listener.of(event -> {
                            calls.incrementAndGet();
                            begun.add(event.eventId());
                            if (away[0]) {
                                throw new ReceiverAwayException("no answer");
                            }
                        })
                        .named("mail")
                        .breaker(BreakerSettings.whenAway()));
        start(1, builder -> builder.maxAttempts(1));
        bring("T", "a");
        nextBegun();
        Await.until(() -> metrics.breakers.contains("mail OPEN"));
        Await.until(() -> store.status("a") == EventStatus.RETRY);
        assertThat(store.attempts("a")).isZero();
        for (int i = 0; i < 100; i++) {
            bring("T", "w" + i);
        }
        Await.until(() -> dispatcher.flow().parts().queues().depth(Source.COLD) == 0);
        assertThat(calls).as("nobody is called meanwhile").hasValue(1);
        assertThat(log.lines()).anyMatch(line -> line.text().contains("its receiver seems to be away"));

        away[0] = false;
        time.advance(Duration.ofSeconds(1));
        dispatcher.enqueueCold(queued("T", "w0", 0));
        assertThat(nextBegun()).isEqualTo("w0");
        Await.until(() -> store.status("w0") == EventStatus.DONE);
        Await.until(() -> metrics.breakers.contains("mail CLOSED"));
    }

    @Test
    void stages_hold_no_thread_and_no_more_are_under_way_than_allowed() throws Exception {
        List<CompletableFuture<Outcome>> stages = new CopyOnWriteArrayList<>();
        registry.register(
                "T",
                Listener.async((event, delivery) -> {
                            CompletableFuture<Outcome> stage = new CompletableFuture<>();
                            stages.add(stage);
                            begun.add(event.eventId());
                            return stage;
                        })
                        .concurrency(10));
        start(1, builder -> builder);
        for (int i = 0; i < 25; i++) {
            bring("T", "e" + i);
        }
        for (int i = 0; i < 10; i++) {
            nextBegun();
        }
        Await.until(() -> state("__GLOBAL__/T").waiting() == 15);
        assertThat(stages).hasSize(10);
        assertThat(store.calls()).as("nothing has ended").isEmpty();
        for (int i = 0; i < 25; i++) {
            int next = i;
            Await.until(() -> stages.size() > next);
            stages.get(next).complete(Outcome.done());
        }

        Await.until(() -> store.count(EventStatus.DONE) == 25);
    }

    @Test
    void a_stage_that_fails_has_failed_and_one_that_never_completes_meets_its_timeout() throws Exception {
        CompletableFuture<Outcome> never = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterrupt) {
                return false; // deaf
            }
        };
        registry.register(
                "T",
                Listener.async((event, delivery) -> {
                            begun.add(event.eventId());
                            return event.eventId().equals("never")
                                    ? never
                                    : CompletableFuture.failedFuture(new IllegalStateException("broken"));
                        })
                        .timeout(Duration.ofSeconds(5)));
        start(1, builder -> builder);
        bring("T", "fails", "never");
        nextBegun();
        nextBegun();
        Await.until(() -> store.status("fails") == EventStatus.RETRY);
        assertThat(store.error("fails")).isEqualTo("java.lang.IllegalStateException: broken");
        assertThat(store.status("never")).isEqualTo(EventStatus.NEW);
        time.advance(Duration.ofSeconds(7));
        Await.until(() -> store.status("never") == EventStatus.RETRY);
        never.complete(Outcome.done());

        assertThat(store.status("never")).as("too late").isEqualTo(EventStatus.RETRY);
        assertThat(store.attempts("never")).isEqualTo(1);
    }

    @Test
    void a_close_waits_for_stages_that_are_under_way() throws Exception {
        CompletableFuture<Outcome> stage = new CompletableFuture<>();
        registry.register("T", Listener.async((event, delivery) -> {
            begun.add(event.eventId());
            return stage;
        }));
        start(1, builder -> builder);
        bring("T", "a");
        nextBegun();
        Thread closing = new Thread(dispatcher::close);
        closing.start();
        Await.until(() -> dispatcher.flow().isClosed());
        stage.complete(Outcome.done());
        closing.join(10_000);

        assertThat(store.status("a")).isEqualTo(EventStatus.DONE);
    }

    @Test
    void events_come_in_batches_with_an_outcome_each() throws Exception {
        List<List<String>> batches = new CopyOnWriteArrayList<>();
        registry.register("T", Listener.batch(3, Duration.ofSeconds(1), batch -> {
            batches.add(batch.stream().map(Delivery::eventId).toList());
            List<Outcome> outcomes = new ArrayList<>();
            batch.forEach(delivery ->
                    outcomes.add(delivery.eventId().equals("bad") ? Outcome.dead("no such customer") : Outcome.done()));
            return outcomes;
        }));
        start(1, builder -> builder);
        bring("T", "a", "bad", "c", "d");

        Await.until(() -> store.status("c") == EventStatus.DONE);
        assertThat(batches).containsExactly(List.of("a", "bad", "c"));
        Await.until(() -> store.status("bad") == EventStatus.DEAD);
        assertThat(store.status("d")).as("waits for others").isEqualTo(EventStatus.NEW);
        Await.until(() -> time.set() > 0);
        time.advance(Duration.ofSeconds(1));
        Await.until(() -> store.status("d") == EventStatus.DONE);
    }

    @Test
    void a_batch_that_throws_is_divided_until_the_culprit_is_alone() {
        List<Integer> sizes = new CopyOnWriteArrayList<>();
        registry.register("T", Listener.batch(8, Duration.ofSeconds(1), batch -> {
            sizes.add(batch.size());
            if (batch.stream().anyMatch(delivery -> delivery.eventId().equals("e5"))) {
                throw new IllegalStateException("one is bad");
            }
            return Outcome.allDone(batch);
        }));
        start(1, builder -> builder);
        for (int i = 0; i < 8; i++) {
            bring("T", "e" + i);
        }

        Await.until(() -> store.count(EventStatus.DONE) == 7 && store.status("e5") == EventStatus.RETRY);
        assertThat(sizes).containsExactly(8, 4, 4, 2, 1, 1, 2);
        assertThat(store.attempts("e5")).isEqualTo(1);
    }

    @Test
    void a_batch_listener_that_forgets_an_outcome_has_failed_and_is_not_called_again_for_the_halves() {
        List<Integer> sizes = new CopyOnWriteArrayList<>();
        registry.register("T", Listener.batch(2, Duration.ofSeconds(1), batch -> {
            sizes.add(batch.size());
            return List.of(Outcome.done());
        }));
        start(1, builder -> builder);
        bring("T", "a", "b");

        Await.until(() -> store.count(EventStatus.RETRY) == 2);
        assertThat(sizes).containsExactly(2);
        assertThat(store.error("a")).contains("got 2 event(s) and returned 1 outcome(s)");
    }

    @Test
    void no_more_begin_in_a_time_than_the_rate_allows() throws Exception {
        registry.register("T", Listener.of(noting()).rateLimit(2, Duration.ofSeconds(1)));
        start(1, builder -> builder);
        bring("T", "a", "b", "c");
        nextBegun();
        nextBegun();
        Await.until(() -> state("__GLOBAL__/T").waiting() == 1);
        assertThat(delivered).containsExactly("a", "b");
        time.advance(Duration.ofMillis(500));

        assertThat(nextBegun()).isEqualTo("c");
    }
}
