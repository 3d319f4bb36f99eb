package outbox.dispatch;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;
import outbox.OutboxWriter;
import outbox.model.EventStatus;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.OutboxStore;
import outbox.spi.RelayLock;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.LeasingStore;
import outbox.testsupport.ManualClock;
import outbox.testsupport.RecordingMetrics;
import outbox.testsupport.RecordingStore;
import outbox.testsupport.StubConnections;
import outbox.testsupport.StubTransaction;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.Events.TYPE;
import static outbox.testsupport.Events.event;

/** What becomes of events that are written by a process that is active, or is not, or changes meanwhile. */
@Timeout(30)
class SingleActiveHotPathTest {

    private static final List<EventEnvelope> BATCH = List.of(event("a"), event("b"));

    private final CapturedLog log = new CapturedLog();
    private final LeasingStore store = new LeasingStore(new ManualClock("2026-01-01T00:01:00Z"));
    private final StubConnections connections = StubConnections.autoCommitting();
    private final RecordingMetrics metrics = new RecordingMetrics();
    private final BlockingQueue<String> delivered = new LinkedBlockingQueue<>();
    private final CountDownLatch goOn = new CountDownLatch(1);
    private volatile boolean active;
    private OutboxStore writtenTo;
    private OutboxDispatcher dispatcher;
    private OutboxPoller poller;

    @AfterEach
    void stop() {
        goOn.countDown();
        poller.close();
        dispatcher.close();
        log.close();
    }

    @Test
    void events_of_a_process_that_is_not_active_are_left_to_the_others() throws Exception {
        wire(store);
        write().commit();

        assertThat(store.leaseCalls()).isEmpty();
        assertThat(store.lockedBy("a")).isNull();
        assertLeftAlone();
    }

    @Test
    void a_store_without_leases_leaves_them_to_the_others_as_well() throws Exception {
        wire(new RecordingStore());
        write().commit();

        assertLeftAlone();
    }

    private void assertLeftAlone() {
        assertThat(metrics.hotEnqueued).hasValue(0);
        assertThat(metrics.hotDropped).hasValue(0);
        assertThat(metrics.depths).isEmpty();
        assertThat(log.at(Level.WARNING)).isEmpty();
        assertThat(announced()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void what_was_rolled_back_leaves_nothing_behind(boolean isActive) throws Exception {
        wire(store);
        become(isActive);
        write().rollback();

        assertThat(announced()).isZero();
        assertThat(dispatcher.flow().parts().leases().isHeld("a")).isFalse();
        assertThat(metrics.hotDropped).hasValue(0);
    }

    @Test
    void events_of_the_active_process_are_leased_and_delivered_at_once() throws Exception {
        wire(store);
        become(true);
        goOn.countDown();
        write().commit();

        assertThat(store.leaseCalls()).contains("lease.insert node-1 [a, b]");
        assertDelivered("a", "b");
        assertThat(metrics.hotEnqueued).hasValue(2);
    }

    @Test
    void what_is_queued_when_the_process_is_demoted_is_delivered_all_the_same() throws Exception {
        wire(store);
        become(true);
        write().commit();
        become(false);
        goOn.countDown();

        assertDelivered("a", "b");
    }

    @Test
    void what_was_leased_when_the_process_was_demoted_is_delivered_after_its_commit() throws Exception {
        wire(store);
        goOn.countDown();
        become(true);
        StubTransaction transaction = write();
        become(false);
        transaction.commit();

        assertDelivered("a", "b");
        assertThat(metrics.hotEnqueued).hasValue(2);
        assertThat(metrics.hotDropped).hasValue(0);
    }

    @Test
    void what_was_written_before_the_process_became_active_is_not_queued_without_a_lease_but_polled() throws Exception {
        wire(store);
        goOn.countDown();
        StubTransaction transaction = write();
        become(true); // another process may have found them by now
        transaction.commit();
        assertThat(metrics.hotEnqueued).hasValue(0);
        poller.poll();

        assertDelivered("a", "b");
        assertThat(announced()).isZero();
    }

    @Test
    void what_the_poller_claimed_before_the_process_was_demoted_is_delivered() throws Exception {
        store.add("a", "b");
        wire(store);
        become(true);
        become(false);
        goOn.countDown();

        assertDelivered("a", "b");
        assertThat(metrics.coldEnqueued).hasValue(2);
    }

    private void assertDelivered(String... ids) throws InterruptedException {
        for (String id : ids) {
            assertThat(delivered.poll(10, TimeUnit.SECONDS)).isEqualTo(id);
            assertThat(store.nextMark()).isEqualTo("markDone " + id);
        }
        assertThat(store.count(EventStatus.DONE)).isEqualTo(ids.length);
        assertThat(delivered).isEmpty();
    }

    private int announced() {
        return dispatcher.flow().intake().announcedCount();
    }

    private void become(boolean isActive) {
        active = isActive;
        poller.poll();
    }

    private StubTransaction write() throws Exception {
        StubTransaction transaction = new StubTransaction();
        new OutboxWriter(transaction, writtenTo, new DispatcherWriterHook(dispatcher)).writeAll(BATCH);
        return transaction;
    }

    private void wire(OutboxStore table) {
        writtenTo = table;
        dispatcher = OutboxDispatcher.builder()
                .connectionProvider(connections)
                .outboxStore(table)
                .listenerRegistry(new DefaultListenerRegistry().register(TYPE, received -> {
                    Await.opened(goOn);
                    delivered.add(received.eventId());
                }))
                .workerCount(1)
                .completionLingerMs(0)
                .metrics(metrics)
                .build();
        poller = OutboxPoller.builder()
                .connectionProvider(connections)
                .outboxStore(table)
                .handler(new DispatcherPollerHandler(dispatcher))
                .claimLocking("node-1", Duration.ofSeconds(30))
                .singleActive(new Lock())
                .build();
    }

    private final class Lock implements RelayLock {

        @Override
        public boolean tryHold() throws SQLException {
            return active;
        }

        @Override
        public void close() {}
    }
}
