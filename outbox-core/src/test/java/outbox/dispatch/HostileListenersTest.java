package outbox.dispatch;

import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
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
import outbox.registry.DefaultListenerRegistry;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.ManualAlarms;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;

/** Listeners that do what no listener should: it costs them their own events at most, and nobody else anything. */
@Timeout(30)
class HostileListenersTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final CapturedLog log = new CapturedLog();
    private final ManualAlarms time = new ManualAlarms();
    private final RecordingStore store = new RecordingStore();
    private final RecordingMetrics metrics = new RecordingMetrics();
    private final StubConnections connections = StubConnections.autoCommitting();
    private final DefaultListenerRegistry registry = new DefaultListenerRegistry();
    private final CountDownLatch letGo = new CountDownLatch(1);
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

    private void start(int workers) {
        start(workers, builder -> builder);
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
            bringAgain(type, id);
        }
    }

    private void bringAgain(String type, String id) {
        assertThat(dispatcher.enqueueCold(new QueuedEvent(
                        EventEnvelope.builder(type)
                                .eventId(id)
                                .payloadJson("{}")
                                .build(),
                        Source.COLD,
                        0)))
                .isTrue();
    }

    private String nextBegun() throws InterruptedException {
        String id = begun.poll(10, TimeUnit.SECONDS);
        assertThat(id).as("a delivery that begins").isNotNull();
        return id;
    }

    private EventListener noting() {
        return event -> begun.add(event.eventId());
    }

    private ListenerState state() {
        return dispatcher.listenerStates().stream()
                .filter(state -> state.name().equals("hostile"))
                .findFirst()
                .orElseThrow();
    }

    private void nothingIsUnderWay() {
        Await.until(() -> state().running() == 0 && state().waiting() == 0);
        assertThat(dispatcher.flow().parts().intake().announcedCount()).isZero();
    }

    /** A stage of the given behaviour when it is followed. */
    private static CompletionStage<Outcome> stage(
            java.util.function.Consumer<BiConsumer<? super Outcome, ? super Throwable>> followed) {
        return new CompletableFuture<>() {
            @Override
            public CompletableFuture<Outcome> whenComplete(BiConsumer<? super Outcome, ? super Throwable> action) {
                followed.accept(action);
                return this;
            }
        };
    }

    @Test
    void an_async_listener_that_does_not_even_return_its_stage_keeps_no_worker_from_others() throws Exception {
        registry.register(
                        "T",
                        Listener.async((event, delivery) -> {
                                    begun.add(event.eventId());
                                    Await.deafly(letGo);
                                    return CompletableFuture.completedFuture(Outcome.done());
                                })
                                .named("hostile"))
                .register("Other", noting());
        start(3, builder -> builder.fairWorkers());
        bring("T", "a", "b", "c", "d");
        nextBegun();
        nextBegun();
        bring("Other", "o");

        assertThat(nextBegun()).isEqualTo("o");
        assertThat(state().waiting()).isEqualTo(2);
        letGo.countDown();
        Await.until(() -> store.count(EventStatus.DONE) == 5);
        nothingIsUnderWay();
    }

    @Test
    void an_async_listener_that_does_not_return_its_stage_in_time_is_interrupted() throws Exception {
        registry.register(
                "T",
                Listener.async((event, delivery) -> {
                            begun.add(event.eventId());
                            letGo.await();
                            return CompletableFuture.completedFuture(Outcome.done());
                        })
                        .timeout(SECOND)
                        .named("hostile"));
        start(1);
        bring("T", "a");
        nextBegun();
        time.advance(SECOND);

        Await.until(() -> store.status("a") == EventStatus.RETRY);
        assertThat(store.error("a")).contains("took longer than the listener's timeout");
        nothingIsUnderWay();
    }

    @Test
    void one_that_cannot_be_interrupted_either_loses_its_worker_and_its_event_stays_away_until_its_stage_has_ended()
            throws Exception {
        CompletableFuture<Outcome> stage = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterrupt) {
                return false;
            }
        };
        registry.register(
                        "T",
                        Listener.async((event, delivery) -> {
                                    begun.add(event.eventId());
                                    Await.deafly(letGo);
                                    return stage;
                                })
                                .timeout(SECOND)
                                .named("hostile"))
                .register("Other", noting());
        start(1);
        bring("T", "a");
        nextBegun();
        time.advance(Duration.ofSeconds(3));
        Await.until(() -> store.status("a") == EventStatus.RETRY);
        bring("Other", "o");
        assertThat(nextBegun()).as("on another worker").isEqualTo("o");
        letGo.countDown();
        Await.until(() -> metrics.failure.get() == 1);
        bringAgain("T", "a");
        Await.until(() -> store.error("a").startsWith("An earlier call"));
        assertThat(state().abandoned()).isEqualTo(1);
        stage.complete(Outcome.done());

        Await.until(() -> state().abandoned() == 0);
        assertThat(store.attempts("a")).isEqualTo(1);
        nothingIsUnderWay();
    }

    @Test
    void async_listeners_may_have_threads_of_their_own_for_what_comes_before_the_stage() throws Exception {
        List<String> threads = new CopyOnWriteArrayList<>();
        registry.register(
                        "T",
                        Listener.async((event, delivery) -> {
                                    threads.add(Thread.currentThread().getName());
                                    begun.add(event.eventId());
                                    Await.deafly(letGo);
                                    return CompletableFuture.completedFuture(Outcome.done());
                                })
                                .threads(runnable -> new Thread(runnable, "own"), 2)
                                .named("hostile"))
                .register("Other", noting());
        start(1);
        bring("T", "a", "b", "c");
        nextBegun();
        nextBegun();
        bring("Other", "o");

        assertThat(nextBegun()).isEqualTo("o");
        assertThat(threads).containsExactly("own", "own");
        letGo.countDown();
        Await.until(() -> store.count(EventStatus.DONE) == 4);
        nothingIsUnderWay();
    }

    @Test
    void a_stage_that_completes_twice_counts_once() {
        registry.register(
                "T",
                Listener.async((event, delivery) -> stage(action -> {
                            action.accept(Outcome.done(), null);
                            action.accept(null, new IllegalStateException("and yet"));
                        }))
                        .named("hostile"));
        start(1);
        bring("T", "a", "b");

        Await.until(() -> store.count(EventStatus.DONE) == 2);
        nothingIsUnderWay();
        assertThat(store.attempts("a")).isZero();
    }

    @Test
    void stages_that_are_complete_at_once_do_not_pile_up_on_the_stack() {
        AtomicInteger calls = new AtomicInteger();
        registry.register(
                "T",
                Listener.async((event, delivery) -> {
                            calls.incrementAndGet();
                            return CompletableFuture.completedFuture(Outcome.done());
                        })
                        .concurrency(1)
                        .named("hostile"));
        start(2, builder -> builder.coldQueueCapacity(20_000));
        for (int i = 0; i < 10_000; i++) {
            bring("T", "e" + i);
        }

        Await.until(() -> store.count(EventStatus.DONE) == 10_000);
        assertThat(calls).hasValue(10_000);
        nothingIsUnderWay();
    }

    @Test
    @SuppressWarnings("unchecked")
    void stages_that_complete_with_nothing_or_with_anything_have_failed() {
        CompletableFuture<?> text = CompletableFuture.completedFuture("done");
        registry.register(
                "T",
                Listener.async((event, delivery) -> event.eventId().equals("null")
                                ? CompletableFuture.completedFuture(null)
                                : (CompletableFuture<Outcome>) text)
                        .named("hostile"));
        start(1);
        bring("T", "null", "text");

        Await.until(() -> store.count(EventStatus.RETRY) == 2);
        assertThat(store.error("null")).contains("returned no outcome");
        assertThat(store.error("text")).contains("returned a java.lang.String instead of an outcome");
        nothingIsUnderWay();
    }

    @Test
    void a_stage_that_cannot_be_followed_has_failed() {
        registry.register(
                "T",
                Listener.async((event, delivery) -> stage(action -> {
                            throw new UnsupportedOperationException("not by you");
                        }))
                        .named("hostile"));
        start(1);
        bring("T", "a");

        Await.until(() -> store.status("a") == EventStatus.RETRY);
        assertThat(store.error("a")).contains("not by you");
        nothingIsUnderWay();
    }

    @Test
    void what_depends_on_a_stage_that_is_cancelled_may_hang_and_time_goes_on() throws Exception {
        AtomicReference<CompletionStage<Outcome>> dependent = new AtomicReference<>();
        registry.register(
                        "T",
                        Listener.async((event, delivery) -> {
                                    CompletableFuture<Outcome> never = new CompletableFuture<>();
                                    dependent.set(never.whenComplete((outcome, failure) -> Await.deafly(letGo)));
                                    begun.add(event.eventId());
                                    return never;
                                })
                                .timeout(SECOND)
                                .named("hostile"))
                .register("Other", Listener.of(noting()).rateLimit(1, SECOND));
        start(1);
        bring("T", "a");
        nextBegun();
        bring("Other", "o1", "o2");
        nextBegun();
        Await.until(() -> dispatcher.listenerStates().stream().anyMatch(state -> state.waiting() == 1));
        Thread clock = new Thread(() -> time.advance(SECOND), "clock");
        clock.start();
        clock.join(10_000);

        assertThat(clock.isAlive())
                .as("the thread of the alarms is kept by foreign code")
                .isFalse();
        assertThat(nextBegun()).isEqualTo("o2");
    }

    @Test
    void more_time_than_there_is_may_be_asked_for_and_nonsense_costs_nothing() throws Exception {
        AtomicInteger refused = new AtomicInteger();
        registry.register(
                "T",
                Listener.of((event, delivery) -> {
                            delivery.extendDeadline(Duration.ofSeconds(Long.MAX_VALUE));
                            try {
                                delivery.extendDeadline(null);
                            } catch (NullPointerException e) {
                                refused.incrementAndGet();
                            }
                            if (event.eventId().equals("late")) {
                                delivery.extendDeadline(Duration.ofSeconds(-5));
                                begun.add(event.eventId());
                                letGo.await();
                            }
                            return Outcome.done();
                        })
                        .timeout(Duration.ofSeconds(Long.MAX_VALUE))
                        .rateLimit(10, Duration.ofSeconds(Long.MAX_VALUE))
                        .named("hostile"));
        start(1);
        bring("T", "a");
        Await.until(() -> store.status("a") == EventStatus.DONE);
        assertThat(refused).hasValue(1);
        bring("T", "late");
        nextBegun();
        time.advance(Duration.ofMillis(1));

        Await.until(() -> store.status("late") == EventStatus.RETRY);
        nothingIsUnderWay();
    }

    @Test
    void a_batch_may_wait_for_ever_to_be_full() {
        registry.register(
                "T",
                Listener.batch(3, Duration.ofSeconds(Long.MAX_VALUE), Outcome::allDone)
                        .named("hostile"));
        start(1);
        bring("T", "a", "b", "c");

        Await.until(() -> store.count(EventStatus.DONE) == 3);
        nothingIsUnderWay();
    }

    /** What a batch listener returns for two events. */
    private void answering(UnaryOperator<List<Outcome>> answer) {
        registry.register(
                "T",
                Listener.batch(2, SECOND, batch -> {
                            begun.add("batch of " + batch.size());
                            return answer.apply(Outcome.allDone(batch));
                        })
                        .named("hostile"));
        start(1);
        bring("T", "a", "b");
    }

    @Test
    void answers_for_events_that_were_not_given_are_no_answers() {
        answering(outcomes -> List.of(Outcome.done(), Outcome.done(), Outcome.dead("who?")));

        Await.until(() -> store.count(EventStatus.RETRY) == 2);
        assertThat(store.error("a")).contains("got 2 event(s) and returned 3 outcome(s)");
        assertThat(begun).hasSize(1);
        nothingIsUnderWay();
    }

    @Test
    void an_answer_that_is_missing_fails_its_own_event_only() {
        answering(outcomes -> {
            List<Outcome> some = new ArrayList<>(outcomes);
            some.set(1, null);
            return some;
        });

        Await.until(() -> store.status("a") == EventStatus.DONE && store.status("b") == EventStatus.RETRY);
        nothingIsUnderWay();
    }

    @Test
    void a_list_that_cannot_be_read_or_changes_its_size_has_failed_once() {
        answering(outcomes -> new AbstractList<>() {
            private int asked;

            @Override
            public Outcome get(int index) {
                throw new IndexOutOfBoundsException("nothing here");
            }

            @Override
            public int size() {
                return ++asked == 1 ? 2 : 7;
            }
        });

        Await.until(() -> store.count(EventStatus.RETRY) == 2);
        assertThat(begun).as("its work may be done").hasSize(1);
        nothingIsUnderWay();
    }

    @Test
    void a_batch_that_hangs_counts_as_one_call_and_the_next_one_takes_its_place() throws Exception {
        registry.register(
                "T",
                Listener.batch(3, SECOND, batch -> {
                            begun.add(batch.get(0).eventId());
                            if (batch.get(0).eventId().equals("a")) {
                                Await.deafly(letGo);
                            }
                            return Outcome.allDone(batch);
                        })
                        .timeout(SECOND)
                        .mostAbandoned(2)
                        .named("hostile"));
        start(1);
        bring("T", "a", "b", "c");
        assertThat(nextBegun()).isEqualTo("a");
        bring("T", "d", "e", "f");
        Await.until(() -> state().running() == 6); // all of the next batch: what is missing would wait for others
        time.advance(Duration.ofSeconds(3));

        Await.until(() -> store.count(EventStatus.RETRY) == 3);
        assertThat(nextBegun()).as("although one batch at a time is allowed").isEqualTo("d");
        Await.until(() -> store.count(EventStatus.DONE) == 3);
        assertThat(state().abandoned()).isEqualTo(1);
        assertThat(state().paused()).isNull();
        letGo.countDown();
        Await.until(() -> state().abandoned() == 0);
        nothingIsUnderWay();
    }

    @Test
    void if_half_of_a_batch_hangs_the_other_half_is_left_to_others() throws Exception {
        registry.register(
                "T",
                Listener.batch(4, SECOND, batch -> {
                            if (batch.size() == 4) {
                                throw new IllegalStateException("divide me");
                            }
                            begun.add(batch.get(0).eventId());
                            Await.deafly(letGo);
                            return Outcome.allDone(batch);
                        })
                        .timeout(SECOND)
                        .named("hostile"));
        start(1);
        bring("T", "a", "b", "c", "d");
        assertThat(nextBegun()).isEqualTo("a");
        time.advance(Duration.ofSeconds(3));

        Await.until(() -> store.count(EventStatus.RETRY) == 2);
        nothingIsUnderWay();
        assertThat(store.status("c")).isEqualTo(EventStatus.NEW);
        bringAgain("T", "c");
        letGo.countDown();
        Await.until(() -> state().abandoned() == 0);
        assertThat(store.status("a")).isEqualTo(EventStatus.RETRY);
    }

    @Test
    void after_the_time_of_a_close_is_over_no_half_of_a_batch_is_begun() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        registry.register(
                "T",
                Listener.batch(4, SECOND, batch -> {
                            calls.incrementAndGet();
                            begun.add(batch.get(0).eventId());
                            letGo.await();
                            return Outcome.allDone(batch);
                        })
                        .named("hostile"));
        start(1, builder -> builder.drainTimeoutMs(1));
        bring("T", "a", "b", "c", "d");
        nextBegun();
        dispatcher.close();

        assertThat(calls).hasValue(1);
        assertThat(store.calls()).as("none of them is recorded").isEmpty();
    }

    @Test
    void what_was_gathered_for_a_batch_is_not_delivered_when_the_receiver_is_away_by_then() throws Exception {
        CountDownLatch first = new CountDownLatch(1);
        registry.register(
                "T",
                Listener.batch(2, SECOND, batch -> {
                            begun.add(batch.get(0).eventId());
                            Await.opened(first);
                            throw new ReceiverAwayException("no answer");
                        })
                        .breaker(BreakerSettings.whenAway())
                        .named("hostile"));
        start(1);
        bring("T", "a", "b");
        nextBegun();
        bring("T", "c", "d");
        Await.until(() -> state().running() == 4);
        first.countDown();

        Await.until(() -> store.count(EventStatus.RETRY) == 2);
        nothingIsUnderWay();
        assertThat(begun).isEmpty();
        assertThat(store.status("c")).isEqualTo(EventStatus.NEW);
    }

    @Test
    void what_waits_for_a_listener_that_hangs_without_a_timeout_is_left_to_others_until_it_comes_back()
            throws Exception {
        registry.register(
                        "T",
                        Listener.of((EventEnvelope event) -> {
                                    begun.add(event.eventId());
                                    Await.deafly(letGo);
                                })
                                .named("hostile"))
                .register("Other", noting());
        start(3, builder -> builder.fairWorkers());
        bring("T", "a", "b", "c", "d");
        List<String> running = List.of(nextBegun(), nextBegun());
        Await.until(() -> state().waiting() == 2);
        time.advance(Duration.ofSeconds(31));

        Await.until(() -> state().waiting() == 0);
        assertThat(state().running()).isEqualTo(2);
        assertThat(state().paused()).isEqualTo("none of 2 deliveries has ended for 30 s");
        assertThat(dispatcher.health().problems()).anyMatch(problem -> problem.contains("hostile"));
        assertThat(dispatcher.flow().parts().queues().depth(Source.COLD)).isZero();
        letGo.countDown();
        Await.until(() -> state().paused() == null);
        String waiting = Stream.of("a", "b", "c")
                .filter(id -> !running.contains(id))
                .findFirst()
                .orElseThrow();
        bringAgain("T", waiting);
        Await.until(() -> store.count(EventStatus.DONE) == 3);
    }

    @Test
    void what_was_gathered_behind_a_batch_that_hangs_without_a_timeout_is_left_to_others() throws Exception {
        registry.register(
                "T",
                Listener.batch(2, SECOND, batch -> {
                            begun.add(batch.get(0).eventId());
                            Await.deafly(letGo);
                            return Outcome.allDone(batch);
                        })
                        .named("hostile"));
        start(1);
        bring("T", "a", "b");
        nextBegun();
        bring("T", "c", "d", "e");
        Await.until(() -> state().running() == 4 && state().waiting() == 1);
        time.advance(Duration.ofSeconds(31));

        Await.until(() -> state().running() == 2 && state().waiting() == 0);
        assertThat(state().paused()).startsWith("none of ");
        letGo.countDown();
        Await.until(() -> store.count(EventStatus.DONE) == 2);
        nothingIsUnderWay();
        assertThat(state().paused()).isNull();
    }

    @Test
    void a_policy_that_doubles_beyond_all_bounds_waits_a_year() {
        registry.register(
                "T",
                Listener.of((event, delivery) -> Outcome.retry("no"))
                        .retryPolicy(failures -> Long.MAX_VALUE)
                        .named("hostile"));
        start(1);
        bring("T", "a");

        Await.until(() -> store.status("a") == EventStatus.RETRY);
        assertThat(store.error("a")).contains("no");
        nothingIsUnderWay();
    }

    @Test
    void a_factory_without_threads_costs_its_own_listener_only() throws Exception {
        registry.register(
                        "T", Listener.of(noting()).threads(runnable -> null, 1).named("hostile"))
                .register(
                        "Batch",
                        Listener.batch(1, Duration.ZERO, Outcome::allDone).threads(runnable -> null, 1))
                .register("Other", noting());
        start(1, builder -> builder.coldQueueCapacity(2_000));
        for (int i = 0; i < 300; i++) {
            bring("T", "t" + i);
            bring("Batch", "b" + i);
        }
        bring("Other", "o");

        assertThat(nextBegun()).isEqualTo("o");
        nothingIsUnderWay();
        assertThat(store.calls()).allMatch(call -> call.contains("o"));
    }

    @Test
    void a_call_that_comes_back_while_it_is_given_up_keeps_its_event_away_no_longer() {
        StillRunning running = new StillRunning();
        running.remove("a", null);
        running.add("a", null);

        assertThat(running.keeps("a", null)).isFalse();
        running.add("a", null);
        assertThat(running.keeps("a", null)).isTrue();
    }

    @Test
    void a_delivery_that_is_kept_beyond_its_end_knows_that_it_is_over() {
        List<Delivery> kept = new CopyOnWriteArrayList<>();
        registry.register(
                "T",
                Listener.batch(2, SECOND, batch -> {
                            kept.addAll(batch);
                            return Outcome.allDone(batch);
                        })
                        .timeout(SECOND)
                        .named("hostile"));
        start(1);
        bring("T", "a", "b");
        Await.until(() -> store.count(EventStatus.DONE) == 2);

        assertThat(kept).noneMatch(Delivery::isStillOwner);
        assertThat(kept).noneMatch(delivery -> delivery.extendDeadline(SECOND));
        nothingIsUnderWay();
    }
}
