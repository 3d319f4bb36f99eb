package outbox.dispatch;

import java.sql.Connection;
import java.util.List;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.internal.lease.TestLeases;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.OutboxStore;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.LeasingStore;
import outbox.testsupport.ManualClock;
import outbox.testsupport.ManualNanos;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.RecordingMetrics.Depths;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.internal.lease.TestLeases.NODE;
import static outbox.internal.lease.TestLeases.TIMEOUT;
import static outbox.testsupport.Events.event;

/** Events that are written to a shared table: only what was leased with the insert may go through the hot queue. */
class DispatcherWriterHookLeaseTest {

    private static final String NOW = "2026-01-01T00:00:00Z";

    private final CapturedLog log = new CapturedLog();
    private final ManualClock clock = new ManualClock(NOW);
    private final ManualNanos nanos = new ManualNanos();
    private final LeasingStore store = new LeasingStore(clock);
    private final RecordingMetrics metrics = new RecordingMetrics();
    private final RecordingTrigger trigger = new RecordingTrigger();
    private final OutboxDispatcher dispatcher = dispatcher(store);
    private final DispatcherWriterHook hook = new DispatcherWriterHook(dispatcher);

    DispatcherWriterHookLeaseTest() {
        dispatcher.flow().parts().pollRequests().add(trigger);
    }

    @AfterEach
    void stop() {
        dispatcher.close();
        log.close();
    }

    @Test
    void as_many_as_the_hot_queue_has_room_for_are_born_leased_and_the_rest_is_free() {
        dispatcher.claimsAs(NODE, TIMEOUT);
        hook.insert(store, null, events("a", "b", "c", "d"));

        assertThat(store.calls()).containsExactlyInAnyOrder("lease.insert node-1 [a, b, c]", "insertBatch [d]");
        assertThat(store.lockedBy("c")).isEqualTo(NODE);
        assertThat(store.lockedBy("d")).isNull();
    }

    @Test
    void a_batch_for_which_there_is_room_is_one_insert() {
        dispatcher.claimsAs(NODE, TIMEOUT);
        hook.insert(store, null, events("a", "b", "c"));

        assertThat(store.calls()).containsExactly("lease.insert node-1 [a, b, c]");
    }

    @Test
    void what_was_leased_is_queued_after_its_commit_and_stays_leased() {
        dispatcher.claimsAs(NODE, TIMEOUT);
        List<EventEnvelope> batch = write("a", "b");
        nanos.advance(TIMEOUT.minusNanos(1));
        hook.afterCommit(batch);

        assertThat(metrics.lastDepths()).isEqualTo(new Depths(2, 0));
        assertThat(metrics.hotDropped).hasValue(0);
        assertThat(store.lockedBy("b")).isEqualTo(NODE);
        assertThat(trigger.requests).isEmpty();
    }

    @Test
    void room_that_others_are_writing_for_is_taken_until_they_roll_back() {
        dispatcher.claimsAs(NODE, TIMEOUT);
        List<EventEnvelope> first = write("a", "b");
        write("c", "d");
        assertThat(store.lockedBy("c")).isEqualTo(NODE);
        assertThat(store.lockedBy("d")).isNull();
        hook.afterRollback(first);
        write("e", "f", "g");

        assertThat(store.lockedBy("f")).isEqualTo(NODE);
        assertThat(store.lockedBy("g")).isNull();
    }

    @Test
    void where_nobody_looks_for_events_of_lost_answers_they_are_polled_for_and_take_no_room() {
        dispatcher.claimsAs(NODE, TIMEOUT);
        hook.afterUnknown(write("a", "b"));

        assertThat(trigger.requests).containsExactly(NOW);
        assertThat(dispatcher.flow().hotPath().room().events()).isEqualTo(3);
        assertThat(dispatcher.flow().parts().leases().heldCount()).isZero();
    }

    @Test
    void what_was_not_leased_takes_no_room() {
        dispatcher.claimsAs(NODE, TIMEOUT);
        List<EventEnvelope> large = write("a", "b", "c", "d", "e", "f");
        assertThat(dispatcher.flow().parts().intake().announcedCount()).isEqualTo(3);
        hook.afterRollback(large.subList(0, 1));
        write("g", "h");

        assertThat(store.lockedBy("g")).isEqualTo(NODE);
        assertThat(store.lockedBy("h")).isNull();
    }

    @Test
    void more_that_is_being_written_than_there_is_room_leaves_no_room() {
        for (EventEnvelope early : events("a", "b", "c", "d", "e")) {
            hook.afterWrite(List.of(early)); // before leases were on
        }
        dispatcher.claimsAs(NODE, TIMEOUT);
        hook.insert(store, null, events("f"));

        assertThat(store.calls()).containsExactly("insertBatch [f]");
    }

    @Test
    void what_was_not_leased_is_not_queued_but_left_to_a_poll_that_is_asked_for() {
        dispatcher.claimsAs(NODE, TIMEOUT);
        List<EventEnvelope> batch = write("a", "b", "c", "d");
        hook.afterCommit(batch);

        assertThat(metrics.lastDepths()).isEqualTo(new Depths(3, 0));
        assertThat(metrics.hotDropped).hasValue(1);
        assertThat(trigger.requests).containsExactly(NOW);
        assertThat(dispatcher.flow().parts().intake().announcedCount()).isZero();
        assertThat(log.at(Level.WARNING)).hasSize(1).first().asString().contains("Hot queue refused", "d");
    }

    @Test
    void what_was_committed_after_its_lease_had_run_out_is_renewed_and_queued() throws Exception {
        dispatcher.claimsAs(NODE, TIMEOUT);
        List<EventEnvelope> batch = write("a", "b");
        nanos.advance(TIMEOUT);
        hook.afterCommit(batch);
        Await.until(() -> metrics.hotEnqueued.get() == 2);

        assertThat(store.leaseCalls()).anyMatch(call -> call.startsWith("lease.renew node-1 "));
        assertThat(metrics.hotDropped).hasValue(0);
        assertThat(store.lockedBy("a")).isEqualTo(NODE);
        assertThat(dispatcher.flow().parts().intake().announcedCount()).isZero();
        assertThat(dispatcher.flow().hotPath().overdue()).isEmpty();
    }

    @Test
    void what_another_process_took_before_it_could_be_renewed_is_left_to_that_one() throws Exception {
        dispatcher.claimsAs(NODE, TIMEOUT);
        List<EventEnvelope> batch = write("a");
        nanos.advance(TIMEOUT);
        store.takeOver("a", "node-2");
        hook.afterCommit(batch);
        Await.until(() -> dispatcher.flow().parts().leases().heldCount() == 0);

        assertThat(metrics.hotEnqueued).hasValue(0);
        Await.until(() -> dispatcher.flow().parts().intake().announcedCount() == 0);
        TestLeases.release(dispatcher.flow().parts().leases(), store.leases());
        assertThat(store.lockedBy("a")).isEqualTo("node-2");
    }

    @Test
    void what_was_rolled_back_is_forgotten_and_not_released() {
        dispatcher.claimsAs(NODE, TIMEOUT);
        List<EventEnvelope> batch = write("a", "b");
        hook.afterRollback(batch);
        TestLeases.release(dispatcher.flow().parts().leases(), store.leases());

        assertThat(store.calls()).containsExactly("lease.insert node-1 [a, b]");
        assertThat(dispatcher.flow().parts().intake().announcedCount()).isZero();
        assertNothingIsHeld();
    }

    @Test
    void what_is_committed_after_the_dispatcher_was_closed_is_released_at_once() {
        dispatcher.claimsAs(NODE, TIMEOUT);
        List<EventEnvelope> batch = write("a");
        dispatcher.close();
        assertThat(store.lockedBy("a")).isEqualTo(NODE);
        hook.afterCommit(batch);

        assertThat(store.lockedBy("a")).isNull();
        assertThat(metrics.hotDropped).hasValue(1);
        assertNothingIsHeld();
    }

    @Test
    void a_closed_dispatcher_leases_nothing_more() {
        dispatcher.claimsAs(NODE, TIMEOUT);
        dispatcher.close();
        hook.insert(store, null, events("a"));

        assertThat(store.calls()).contains("insertBatch [a]").noneMatch(call -> call.startsWith("lease.insert"));
        assertThat(store.lockedBy("a")).isNull();
    }

    @Test
    void a_rest_that_cannot_be_inserted_leaves_no_lease_behind() {
        dispatcher.claimsAs(NODE, TIMEOUT);
        RecordingStore failing = new RecordingStore().failNext(1);
        LeasingStore table = new LeasingStore(clock) {
            @Override
            public synchronized void insertBatch(Connection conn, List<EventEnvelope> batch) {
                failing.insertBatch(conn, batch);
            }
        };

        assertThatThrownBy(() -> hook.insert(table, null, events("a", "b", "c", "d")))
                .hasMessage("store is broken");
        assertNothingIsHeld();
    }

    @Test
    void before_leases_are_on_events_are_inserted_plainly_and_queued() {
        List<EventEnvelope> batch = write("a", "b");
        hook.afterCommit(batch);

        assertThat(store.calls()).containsExactly("insertBatch [a, b]");
        assertThat(metrics.lastDepths()).isEqualTo(new Depths(2, 0));
        assertNothingIsHeld();
    }

    @Test
    void a_store_without_leases_is_inserted_into_plainly_and_its_events_are_queued() {
        RecordingStore plain = new RecordingStore();
        OutboxDispatcher alone = dispatcher(plain);
        DispatcherWriterHook its = new DispatcherWriterHook(alone);
        assertThat(alone.claimsAs(NODE, TIMEOUT)).isEqualTo(NODE);
        its.insert(plain, null, events("a"));
        its.afterWrite(events("a"));
        its.afterCommit(events("a"));
        alone.close();

        assertThat(plain.calls()).containsExactly("insertBatch [a]");
        assertThat(metrics.hotEnqueued).hasValue(1);
    }

    @Test
    void a_writer_whose_store_has_no_leases_inserts_plainly_into_a_shared_table_and_nothing_is_queued() {
        RecordingStore plain = new RecordingStore();
        dispatcher.claimsAs(NODE, TIMEOUT);
        hook.insert(plain, null, events("a"));
        hook.afterWrite(events("a"));
        hook.afterCommit(events("a"));

        assertThat(plain.calls()).containsExactly("insertBatch [a]");
        assertThat(metrics.hotEnqueued).hasValue(0);
        assertThat(metrics.hotDropped).hasValue(1);
    }

    @Test
    void a_process_that_is_not_the_active_one_leaves_its_events_to_the_other_without_a_complaint() {
        dispatcher.claimsAs(NODE, TIMEOUT);
        dispatcher.flow().hotPath().goOnlyWhile(() -> false);
        hook.afterCommit(write("a"));

        assertThat(store.calls()).containsExactly("insertBatch [a]");
        assertThat(metrics.hotEnqueued).hasValue(0);
        assertThat(metrics.hotDropped).hasValue(0);
        assertThat(trigger.requests).isEmpty();
        assertThat(log.at(Level.WARNING)).isEmpty();
        assertThat(dispatcher.flow().parts().intake().announcedCount()).isZero();
    }

    @Test
    void what_was_leased_before_another_process_became_the_active_one_is_still_queued() {
        dispatcher.claimsAs(NODE, TIMEOUT);
        List<EventEnvelope> batch = write("a");
        dispatcher.flow().hotPath().goOnlyWhile(() -> false);
        hook.afterCommit(batch);

        assertThat(metrics.lastDepths()).isEqualTo(new Depths(1, 0));
    }

    private List<EventEnvelope> write(String... ids) {
        List<EventEnvelope> batch = events(ids);
        hook.insert(store, null, batch);
        hook.afterWrite(batch);
        return batch;
    }

    private static List<EventEnvelope> events(String... ids) {
        return List.of(ids).stream().map(id -> event(id)).toList();
    }

    private void assertNothingIsHeld() {
        assertThat(dispatcher.flow().parts().leases().heldCount()).isZero();
    }

    /** Without workers, so that what is queued stays there to be seen; with room for three. */
    private OutboxDispatcher dispatcher(OutboxStore table) {
        return OutboxDispatcher.builder()
                .connectionProvider(StubConnections.autoCommitting())
                .outboxStore(table)
                .listenerRegistry(new DefaultListenerRegistry())
                .hotQueueCapacity(3)
                .metrics(metrics)
                .clock(clock)
                .nanoTime(nanos)
                .workerCount(0)
                .build();
    }
}
