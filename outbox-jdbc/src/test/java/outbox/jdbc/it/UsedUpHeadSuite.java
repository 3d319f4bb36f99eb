package outbox.jdbc.it;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.dead.BlockedKeyManager;
import outbox.dispatch.Ordering;
import outbox.dispatch.OutboxDispatcher;
import outbox.jdbc.it.Signals.Kind;
import outbox.model.BlockedKey;
import outbox.model.EventStatus;
import outbox.spi.LeaseStore;
import outbox.spi.OrderedStore;
import outbox.testing.StoredEvent;
import outbox.testing.contract.JdbcStoreFixture;

import static org.assertj.core.api.Assertions.assertThat;

/** Events in order behind one that has ended its process too often. */
@Timeout(120)
abstract class UsedUpHeadSuite {

    private static final Duration LEASE = Duration.ofMinutes(5);

    private final List<String> delivered = new CopyOnWriteArrayList<>();
    private JdbcStoreFixture table;

    abstract TestedDatabase database();

    @BeforeEach
    void useUpTheHead() throws SQLException {
        table = Tables.shipped(database(), "used_up_outbox");
        try (Connection conn = database().pool().getConnection()) {
            table.store().ordered().insert(conn, List.of(event("head", "key")), "gone");
            for (int crash = 0; crash < OutboxDispatcher.DEFAULT_CRASH_BUDGET; crash++) {
                table.letPass(LEASE.plusSeconds(30));
                endDuringDelivery(conn, "gone " + crash, crash);
            }
            table.letPass(LEASE.plusSeconds(30));
            table.store()
                    .insertBatch(conn, List.of(event("second", "key"), event("third", "key"), event("other", "else")));
        }
    }

    private static EventEnvelope event(String id, String key) {
        return EventEnvelope.builder("Tick")
                .eventId(id)
                .aggregateType("Clock")
                .aggregateId(key)
                .payloadJson("{}")
                .build();
    }

    /** What a process leaves behind that writes the delivery of the head down and is never heard of again. */
    private void endDuringDelivery(Connection conn, String owner, int crashes) {
        OrderedStore.Claimed claimed = table.store()
                .ordered()
                .claim(
                        conn,
                        new LeaseStore.ClaimRequest(owner, LEASE, Duration.ZERO, 10, LeaseStore.Start.BEGINNING),
                        List.of());
        LeaseStore.Taken head = claimed.runs().get(0).events().get(0);
        assertThat(head.suspicion()).isEqualTo(new LeaseStore.Suspicion(crashes, false));
        LeaseStore.Begun begun = new LeaseStore.Begun("head", head.event().attempts(), crashes);
        assertThat(table.store().leases().writeDown(conn, owner, begun)).isTrue();
    }

    private Node node(EventListener listener) {
        Node node = new Node(
                database().pool(),
                table.store(),
                dispatcher -> dispatcher.ordering(Ordering.PER_AGGREGATE),
                poller -> poller.claimLocking(LEASE));
        node.listeners.register("Clock", "Tick", listener);
        node.poller.start();
        return node;
    }

    @Test
    void wait_for_a_person_if_their_listener_says_so() throws Exception {
        EventListener holding = EventListener.holdingKeyAfterDead(event -> delivered.add(event.eventId()));
        try (Node node = node(holding)) {
            BlockedKeyManager blocked = new BlockedKeyManager(node.connections, table.store());
            node.signals.await(Kind.SUCCESS, 1);
            awaitParked("second");
            awaitParked("third");
            StoredEvent head = table.find("head");
            assertThat(head.status()).isEqualTo(EventStatus.DEAD);
            assertThat(head.lockedBy()).isEqualTo(OrderedStore.KEY_HELD);
            assertThat(head.lastError()).startsWith("Its process ended during each of 3 deliveries in a row");
            assertThat(node.signals.count(Kind.DEAD)).isEqualTo(1);
            assertThat(delivered).containsExactly("other");
            assertThat(blocked.query(10)).extracting(BlockedKey::eventId).containsExactly("head");

            assertThat(blocked.discard("head")).isTrue();
            node.signals.await(Kind.SUCCESS, 3);
        }
        assertThat(delivered).containsExactly("other", "second", "third");
    }

    private void awaitParked(String eventId) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!"(waits for its key)".equals(table.find(eventId).lockedBy())) {
            assertThat(System.nanoTime() - deadline)
                    .as("%s is not parked", eventId)
                    .isNegative();
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    @Test
    void go_on_otherwise() throws Exception {
        try (Node node = node(event -> delivered.add(event.eventId()))) {
            node.signals.await(Kind.SUCCESS, 3);
            assertThat(node.signals.count(Kind.DEAD)).isEqualTo(1);
        }
        assertThat(delivered).containsSubsequence("second", "third").contains("other");
        assertThat(table.find("head").status()).isEqualTo(EventStatus.DEAD);
        assertThat(table.find("head").lockedBy()).isNull();
    }
}
