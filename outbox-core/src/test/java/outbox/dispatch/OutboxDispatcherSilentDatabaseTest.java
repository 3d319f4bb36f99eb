package outbox.dispatch;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.registry.DefaultListenerRegistry;
import outbox.testsupport.Await;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.LeasingStore;
import outbox.testsupport.ManualClock;
import outbox.testsupport.NamedThreads;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.testsupport.Events.TYPE;
import static outbox.testsupport.Events.event;

/** A dispatcher that closes while its database takes every question and answers none. */
@Timeout(60)
class OutboxDispatcherSilentDatabaseTest {

    private final CapturedLog log = new CapturedLog();
    private final LeasingStore store = new LeasingStore(new ManualClock("2026-01-01T00:00:00Z"));
    private final StubConnections connections = StubConnections.autoCommitting();
    private final CountDownLatch answer = new CountDownLatch(1);
    private volatile boolean silent;

    @AfterEach
    void stopCapturing() {
        answer.countDown();
        log.close();
    }

    private Connection connect() throws SQLException {
        if (silent) {
            Await.deafly(answer);
        }
        return connections.getConnection();
    }

    @Test
    void its_close_does_not_wait_for_leases_that_cannot_be_given_back() {
        CountDownLatch running = new CountDownLatch(1);
        OutboxDispatcher dispatcher = OutboxDispatcher.builder()
                .connectionProvider(this::connect)
                .outboxStore(store)
                .listenerRegistry(new DefaultListenerRegistry().register(TYPE, received -> {
                    running.countDown();
                    Await.deafly(answer);
                }))
                .workerCount(1)
                .drainTimeoutMs(50)
                .build();
        dispatcher.claimsAs("node-1", Duration.ofHours(1));
        DispatcherWriterHook hook = new DispatcherWriterHook(dispatcher);
        hook.insert(store, null, List.of(event("a"), event("b")));
        hook.afterCommit(List.of(event("a"), event("b")));
        Await.opened(running);
        silent = true;
        dispatcher.close();

        assertThat(store.lockedBy("b")).isEqualTo("node-1");
        assertThat(log.at(Level.WARNING)).anyMatch(line -> line.startsWith("The return of leases takes longer than"));
        answer.countDown();
        assertThat(NamedThreads.lasting("outbox-close-")).isEmpty();
        assertThat(store.lockedBy("b"))
                .as("given back when the database answers again")
                .isNull();
    }
}
