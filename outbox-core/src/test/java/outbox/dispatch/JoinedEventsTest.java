package outbox.dispatch;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.logging.Level;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.internal.outcome.Completion;
import outbox.internal.outcome.Verdict;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.LeaseStore;
import outbox.spi.OutboxStore;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.LeasingStore;
import outbox.testsupport.ManualClock;
import outbox.testsupport.ManualNanos;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.internal.lease.TestLeases.NODE;
import static outbox.internal.lease.TestLeases.TIMEOUT;
import static outbox.testsupport.Events.cold;
import static outbox.testsupport.Events.event;

/** What becomes of events whose transactions others end. The store's default look is a renewal; a row of another owner stands for one not yet committed. */
class JoinedEventsTest {

    private static final int CAPACITY = 600;

    private final CapturedLog log = new CapturedLog();
    private final ManualNanos nanos = new ManualNanos();
    private final LeasingStore store = new LeasingStore(new ManualClock("2026-01-01T00:00:00Z"));
    private final StubConnections connections = StubConnections.autoCommitting();
    private final RecordingMetrics metrics = new RecordingMetrics();
    private final RecordingTrigger trigger = new RecordingTrigger();
    private final OutboxDispatcher dispatcher = OutboxDispatcher.builder()
            .connectionProvider(StubConnections.autoCommitting())
            .outboxStore(store)
            .listenerRegistry(new DefaultListenerRegistry())
            .hotQueueCapacity(CAPACITY)
            .metrics(metrics)
            .nanoTime(nanos)
            .workerCount(0)
            .build();
    private final JoinedEvents joined = new JoinedEvents(dispatcher, store, connections);

    private final DispatcherWriterHook hotHook = new DispatcherWriterHook(dispatcher);

    JoinedEventsTest() {
        dispatcher.flow().parts().pollRequests().add(trigger);
        dispatcher.claimsAs(NODE, TIMEOUT);
    }

    @AfterEach
    void stop() {
        joined.close();
        dispatcher.close();
        log.close();
    }

    private static List<EventEnvelope> events(int count) {
        return IntStream.range(0, count).mapToObj(i -> event("e" + i)).toList();
    }

    private JoinedTransaction write(List<EventEnvelope> events) {
        JoinedTransaction transaction = joined.begin();
        transaction.insert(store, null, events);
        transaction.afterWrite(events);
        return transaction;
    }

    private List<String> looks() {
        return store.calls().stream()
                .filter(call -> call.startsWith("lease.renew"))
                .toList();
    }

    private int announced() {
        return dispatcher.flow().parts().intake().announcedCount();
    }

    @Test
    void many_are_asked_for_with_one_statement_for_500_and_none_is_sent_when_there_is_nothing_to_look_for()
            throws Exception {
        joined.look();
        JoinedTransaction transaction = write(events(CAPACITY));
        assertThat(looks()).isEmpty();
        assertThat(announced()).as("places in the hot queue").isZero();
        transaction.afterCommit(events(CAPACITY));
        Await.until(() -> metrics.hotEnqueued.get() == CAPACITY);
        assertThat(looks()).hasSize(2);
        assertThat(announced()).isZero();

        transaction.ended();
        joined.look();
        assertThat(joined.list().size()).isZero();
        assertThat(looks()).hasSize(2);
        assertThat(metrics.hotEnqueued).hasValue(CAPACITY);
        assertThat(metrics.events).hasSize(CAPACITY).containsOnly("WRITTEN UserCreated");
    }

    @Test
    void what_there_is_no_room_for_is_born_free_and_the_word_asks_for_a_poll() throws Exception {
        write(events(CAPACITY - 1));
        JoinedTransaction late = write(List.of(event("last"), event("free")));
        assertThat(store.lockedBy("last")).isEqualTo(NODE);
        assertThat(store.lockedBy("free")).isNull();
        assertThat(trigger.requests).isEmpty();
        late.ended();

        assertThat(trigger.requests).hasSize(1);
        Await.until(() -> metrics.hotEnqueued.get() == 1);
        assertThat(dispatcher.flow().hotPath().room().events()).isEqualTo(CAPACITY - 1);
    }

    @Test
    void a_process_that_is_not_the_active_one_leaves_its_events_to_the_other_and_asks_for_nothing() {
        dispatcher.flow().hotPath().goOnlyWhile(() -> false);
        write(List.of(event("a"))).ended();

        assertThat(store.lockedBy("a")).isNull();
        assertThat(trigger.requests).isEmpty();
        assertThat(joined.list().size()).isZero();
    }

    @Test
    void what_is_not_there_is_looked_for_again_until_its_lease_has_expired_and_holds_nothing_meanwhile() {
        write(List.of(event("a")));
        store.takeOver("a", "not committed");
        nanos.advance(TIMEOUT.dividedBy(2));
        joined.look();
        assertThat(joined.list().size()).isEqualTo(1);
        assertThat(announced()).isZero();
        assertThat(dispatcher.flow().parts().leases().heldCount()).isZero();
        nanos.advance(TIMEOUT);
        joined.look();

        assertThat(joined.list().size()).isZero();
        assertThat(metrics.hotEnqueued).hasValue(0);
    }

    @Test
    void after_its_lease_an_event_is_renewed_before_it_is_queued() throws Exception {
        JoinedTransaction transaction = write(List.of(event("a")));
        nanos.advance(TIMEOUT.multipliedBy(2));
        transaction.afterCommit(List.of(event("a")));
        Await.until(() -> metrics.hotEnqueued.get() == 1);

        assertThat(looks()).as("a look and a renewal").hasSize(2);
        assertThat(announced()).isZero();
    }

    @Test
    void a_database_that_is_away_is_asked_again() throws Exception {
        connections.goAway();
        JoinedTransaction transaction = write(List.of(event("a")));
        transaction.ended();
        Await.until(() -> !log.at(Level.WARNING).isEmpty());
        assertThat(log.at(Level.WARNING).get(0)).contains("Cannot look for 1 event(s)");
        connections.comeBack();
        transaction.ended();

        Await.until(() -> metrics.hotEnqueued.get() == 1);
    }

    private List<EventEnvelope> writeHot(EventEnvelope... events) {
        List<EventEnvelope> batch = List.of(events);
        hotHook.insert(store, null, batch);
        hotHook.afterWrite(batch);
        return batch;
    }

    @Test
    void after_a_lost_answer_an_event_is_looked_for_and_takes_no_place_until_it_is_found() throws Exception {
        List<EventEnvelope> batch = writeHot(event("a"));
        assertThat(announced()).isEqualTo(1);
        store.takeOver("a", "not committed");
        hotHook.afterUnknown(batch);
        store.nextRenewal();
        assertThat(dispatcher.flow().hotPath().room().events()).isEqualTo(CAPACITY);
        assertThat(dispatcher.flow().parts().leases().heldCount()).isZero();
        assertThat(trigger.requests).isEmpty();
        store.takeOver("a", NODE);
        nanos.advance(Duration.ofMillis(50));
        joined.look();
        Await.until(() -> metrics.hotEnqueued.get() == 1);

        assertThat(metrics.events).containsExactly("WRITTEN UserCreated");
        assertThat(announced()).isZero();
        assertThat(joined.list().size()).isZero();
    }

    @Test
    void after_a_lost_commit_an_event_is_forgotten_with_its_lease() {
        List<EventEnvelope> batch = writeHot(event("a"));
        store.takeOver("a", "not committed");
        hotHook.afterUnknown(batch);
        nanos.advance(TIMEOUT);
        joined.look();

        assertThat(joined.list().size()).isZero();
        assertThat(metrics.hotEnqueued).hasValue(0);
        assertThat(dispatcher.flow().hotPath().room().events()).isEqualTo(CAPACITY);
    }

    @Test
    void after_a_lost_answer_what_was_free_or_has_no_place_in_the_list_is_polled_for() {
        List<EventEnvelope> batch = new ArrayList<>(events(CAPACITY));
        batch.add(event("free"));
        hotHook.insert(store, null, batch);
        hotHook.afterWrite(batch);
        hotHook.afterUnknown(List.of(event("free")));
        assertThat(trigger.requests).hasSize(1);
        assertThat(announced()).isEqualTo(CAPACITY);

        nanos.advance(TIMEOUT.dividedBy(2));
        write(events(CAPACITY).stream()
                .map(event -> event("joined " + event.eventId()))
                .toList());
        connections.goAway();
        hotHook.afterUnknown(events(CAPACITY));
        assertThat(trigger.requests).hasSize(2);
        assertThat(announced()).isZero();
        assertThat(joined.list().size()).isEqualTo(CAPACITY);
    }

    @Test
    void an_event_that_is_delivered_while_the_table_is_asked_is_not_delivered_again() throws Exception {
        AtomicReference<Runnable> whileAsked = new AtomicReference<>(() -> {});
        JoinedEvents asking = new JoinedEvents(dispatcher, answeringLate(whileAsked), connections);
        try (asking) {
            JoinedTransaction rolledBack = asking.begin();
            rolledBack.insert(store, null, List.of(event("a")));
            // The same id again, from another process, and found by a poll.
            PollPass poll = dispatcher.flow().beginPoll();
            assertThat(poll.claimed(cold("a"), List.of(), null)).isTrue();
            poll.end();
            CountDownLatch answered = new CountDownLatch(1);
            whileAsked.set(() -> {
                deliverNext();
                answered.countDown();
            });
            rolledBack.ended();
            Await.opened(answered);
            Await.until(() -> asking.list().size() == 0);
        }
        assertThat(metrics.coldEnqueued).hasValue(1);
        assertThat(metrics.hotEnqueued).hasValue(0);
        assertThat(announced()).isZero();
        assertThat(dispatcher.flow().parts().leases().heldCount()).isZero();
    }

    /** The store, where something happens between the answer to a look and its arrival. */
    private OutboxStore answeringLate(AtomicReference<Runnable> whileAsked) {
        LeaseStore leases = proxy(LeaseStore.class, store.leases(), (method, answer) -> {
            if (method.equals("held")) {
                whileAsked.get().run();
            }
            return answer;
        });
        return proxy(OutboxStore.class, store, (method, answer) -> method.equals("leases") ? leases : answer);
    }

    private static <T> T proxy(Class<T> type, T real, BiFunction<String, Object, Object> answers) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, args) -> answers.apply(method.getName(), method.invoke(real, args))));
    }

    private void deliverNext() {
        EventFlow flow = dispatcher.flow();
        try {
            QueuedEvent event = flow.next();
            assertThat(flow.begin(event)).isTrue();
            flow.recorded(Completion.of(event.envelope(), true, 0, Verdict.DONE, 1, flow.names())
                    .under(flow.holdOn(event)));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void an_id_that_was_rolled_back_and_is_written_again_is_delivered_once_and_as_it_was_written_then()
            throws Exception {
        write(List.of(event("a")));
        EventEnvelope second =
                EventEnvelope.builder("Second").eventId("a").payloadJson("{}").build();
        List<EventEnvelope> batch = writeHot(second);
        assertThat(joined.list().size()).isZero();
        nanos.advance(Duration.ofMillis(50));
        joined.look();
        hotHook.afterCommit(batch);

        assertThat(metrics.hotEnqueued).hasValue(1);
        assertThat(dispatcher.flow().next().envelope()).isSameAs(second);
    }

    @Test
    void the_thread_is_there_from_the_first_event_until_the_close() {
        assertThat(threads()).isZero();
        write(List.of(event("a")));
        assertThat(threads()).isEqualTo(1);
        joined.close();
        assertThat(threads()).isZero();
        write(List.of(event("b")));

        assertThat(store.lockedBy("b")).as("after the close events are free").isNull();
        assertThat(threads()).isZero();
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.isAlive() && thread.getName().startsWith("outbox-joined-"))
                .count();
    }
}
