package outbox.jdbc.it;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.dispatch.MovedTime;
import outbox.dispatch.OutboxDispatcher;
import outbox.jdbc.TableName;
import outbox.jdbc.it.Signals.Kind;
import outbox.jdbc.relay.JdbcRelayLocks;
import outbox.testing.contract.JdbcStoreFixture;

import static org.assertj.core.api.Assertions.assertThat;

/** Two nodes that both write, of which only one delivers. */
@Timeout(120)
@Tag("locale")
abstract class SingleActiveSuite {

    private static final TableName TABLE = TableName.of("single_outbox");
    /** Half of it is less than the shortest patience with listeners. */
    private static final Duration LEASE = Duration.ofSeconds(40);

    private static final String PENDING = "SELECT event_id FROM single_outbox WHERE status IN (0, 2)";

    private record Delivery(String node, String eventId) {}

    private final BlockingQueue<Delivery> deliveries = new LinkedBlockingQueue<>();
    private final List<Delivery> taken = new ArrayList<>();
    private final AtomicLong ahead = new AtomicLong();
    private final CountDownLatch hanging = new CountDownLatch(OutboxDispatcher.DEFAULT_WORKER_COUNT);
    private final CountDownLatch letGo = new CountDownLatch(1);
    private JdbcStoreFixture table;
    private Sessions sessions;
    private String session1;
    private HikariDataSource lockPool1;
    private HikariDataSource lockPool2;
    private Node node1;
    private Node node2;

    abstract TestedDatabase database();

    @BeforeEach
    void start() {
        table = Tables.shipped(database(), TABLE.table());
        lockPool1 = database().newPool(1, true);
        lockPool2 = database().newPool(1, true);
        sessions = new Sessions(database());
        session1 = sessions.of(lockPool1);
        node1 = node("node-1", lockPool1);
        node1.poller.poll(); // becomes the active one
        node1.poller.start();
        node2 = node("node-2", lockPool2);
        node2.poller.start();
    }

    private Node node(String name, HikariDataSource lockPool) {
        Node node = new Node(
                database().pool(),
                table.store(),
                d -> MovedTime.ahead(d, ahead),
                p -> p.claimLocking(name, LEASE).singleActive(JdbcRelayLocks.forTable(lockPool, TABLE)));
        node.listeners.register("Tick", event -> deliveries.add(new Delivery(name, event.eventId())));
        node.listeners.register("Long", event -> {
            if (name.equals("node-1")) {
                hanging.countDown();
                letGo.await();
            }
            deliveries.add(new Delivery(name, event.eventId()));
        });
        return node;
    }

    @AfterEach
    void stop() {
        letGo.countDown();
        node2.close();
        node1.close();
        lockPool2.close();
        lockPool1.close();
    }

    @Test
    void both_write_and_the_active_one_delivers() throws Exception {
        List<String> written = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            written.add(write(node1));
            written.add(write(node2));
        }
        List<Delivery> delivered = take(written.size());

        assertThat(delivered).extracting(Delivery::eventId).containsExactlyInAnyOrderElementsOf(written);
        assertThat(delivered).extracting(Delivery::node).containsOnly("node-1");
        node1.signals.await(Kind.SUCCESS, written.size());
        assertThat(node1.signals.count(Kind.HOT_ENQUEUED)).isEqualTo(50);
        assertThat(node2.signals.count(Kind.HOT_ENQUEUED)).isZero();
        assertThat(node2.signals.count(Kind.HOT_DROPPED)).isZero();
    }

    @Test
    void a_close_lets_the_other_one_take_over() throws Exception {
        List<String> written = new ArrayList<>(List.of(write(node1), write(node2)));
        take(2);
        node1.close();
        written.add(write(node2));

        assertThat(take(1)).containsExactly(new Delivery("node-2", written.get(2)));
    }

    @Test
    void an_active_process_whose_listeners_hang_lets_another_become_active() throws Exception {
        List<String> hung = new ArrayList<>();
        for (int i = 0; i < OutboxDispatcher.DEFAULT_WORKER_COUNT; i++) {
            hung.add(write(node1, "Long"));
        }
        assertThat(hanging.await(60, TimeUnit.SECONDS)).isTrue();
        List<String> others = List.of(write(node1, "Long"), write(node1), write(node2));
        ahead.addAndGet(Duration.ofSeconds(31).toNanos());

        List<Delivery> byNode2 = take(others.size());
        assertThat(byNode2).extracting(Delivery::eventId).containsExactlyInAnyOrderElementsOf(others);
        assertThat(byNode2).extracting(Delivery::node).containsOnly("node-2");
        letGo.countDown();
        List<Delivery> byNode1 = take(hung.size());
        assertThat(byNode1).extracting(Delivery::eventId).containsExactlyInAnyOrderElementsOf(hung);
        assertThat(byNode1).extracting(Delivery::node).containsOnly("node-1");
        node1.close();
        node2.close();
        assertThat(deliveries).as("delivered twice").isEmpty();
        assertThat(Tables.select(database().pool(), PENDING)).isEmpty();
    }

    @Test
    void when_the_active_one_loses_its_lock_the_other_takes_over_and_nothing_is_lost_or_delivered_twice()
            throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        List<String> written = new ArrayList<>();
        try {
            List<Future<List<String>>> writing = new ArrayList<>();
            for (Node node : List.of(node1, node2)) {
                writing.add(threads.submit(() -> writeMany(node, 150)));
            }
            take(20);
            cutOffLockOfNode1();
            for (Future<List<String>> ids : writing) {
                written.addAll(ids.get(60, TimeUnit.SECONDS));
            }
        } finally {
            threads.shutdownNow();
        }
        take(written.size() - 20);
        node1.poller.poll(); // knows by now, if not before, that it is not the active one
        String last = write(node1);
        assertThat(take(1)).containsExactly(new Delivery("node-2", last));
        written.add(last);

        node1.close();
        node2.close();
        assertThat(deliveries).as("delivered twice").isEmpty();
        assertThat(Tables.select(database().pool(), PENDING)).isEmpty();
        assertThat(taken).extracting(Delivery::eventId).containsExactlyInAnyOrderElementsOf(written);
    }

    /** The server ends the session, and no other can be had. */
    private void cutOffLockOfNode1() {
        if (sessions.canHoldLocks()) {
            sessions.kill(session1);
        }
        lockPool1.close();
        if (!sessions.canHoldLocks()) {
            Tables.execute(
                    database().pool(), "UPDATE " + TABLE + "_relay SET held_until = DATEADD(MINUTE, -1, held_until)");
        }
    }

    private List<Delivery> take(int count) throws InterruptedException {
        List<Delivery> now = new ArrayList<>();
        while (now.size() < count) {
            Delivery delivery = deliveries.poll(60, TimeUnit.SECONDS);
            assertThat(delivery)
                    .as("delivery after %d of %d", now.size(), count)
                    .isNotNull();
            now.add(delivery);
        }
        taken.addAll(now);
        return now;
    }

    private static List<String> writeMany(Node node, int events) throws SQLException {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < events; i++) {
            ids.add(write(node));
        }
        return ids;
    }

    private static String write(Node node) throws SQLException {
        return write(node, "Tick");
    }

    private static String write(Node node, String type) throws SQLException {
        EventEnvelope event = EventEnvelope.ofJson(type, "{}");
        node.commit(event);
        return event.eventId();
    }
}
