package outbox.jdbc.it;

import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.WriteReceipt;
import outbox.dispatch.Ordering;
import outbox.dispatch.OutboxDispatcher;
import outbox.jdbc.it.Signals.Kind;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.model.EventStatus;
import outbox.poller.OutboxPoller;
import outbox.testing.contract.JdbcStoreFixture;

import static org.assertj.core.api.Assertions.assertThat;

/** Whole applications that deliver later, and that write the same event twice. */
abstract class LaterAndOnceSuite {

    private static final Duration DELAY = Duration.ofMillis(400);

    private final Queue<String> delivered = new ConcurrentLinkedQueue<>();
    private JdbcStoreFixture table;

    abstract TestedDatabase database();

    @BeforeEach
    void createTable() {
        table = Tables.shipped(database(), "outbox_event");
    }

    /** Polls so seldom that only a request can bring an event in time. */
    private Node node(UnaryOperator<OutboxDispatcher.Builder> dispatcher, UnaryOperator<OutboxPoller.Builder> poller) {
        Node node = new Node(
                database().pool(), table.store(), dispatcher, builder -> poller.apply(builder.intervalMs(600_000)));
        node.listeners.register("Order", "Tick", event -> delivered.add(event.eventId()));
        node.poller.start();
        return node;
    }

    private static EventEnvelope.Builder tick(String id) {
        return EventEnvelope.builder("Tick").eventId(id).aggregateType("Order").payloadJson("{}");
    }

    @ParameterizedTest
    @CsvSource({"false, 0", "true, 0", "true, 600", "true, -600", "false, 600", "false, -600"})
    @Timeout(60)
    void a_delayed_event_is_delivered_when_it_is_due_whatever_the_clock_of_the_process(
            boolean claiming, int secondsAhead) throws Exception {
        Clock clock = Clock.offset(Clock.systemUTC(), Duration.ofSeconds(secondsAhead));
        try (Node node = node(
                builder -> builder.clock(clock),
                builder -> (claiming ? builder.claimLocking(Duration.ofMinutes(5)) : builder).clock(clock))) {
            // Without leases the first poll could be quicker than the thread that has committed.
            node.signals.await(Kind.POLLED, 1);
            long written = System.nanoTime();
            node.commit(
                    tick("late").occurredAt(clock.instant()).deliverAfter(DELAY).build(),
                    tick("now").occurredAt(clock.instant()).build());
            node.signals.await(Kind.SUCCESS, 2);

            assertThat(delivered).containsExactly("now", "late");
            assertThat(Duration.ofNanos(System.nanoTime() - written)).isGreaterThanOrEqualTo(DELAY);
            assertThat(node.signals.count(Kind.HOT_ENQUEUED)).isEqualTo(1);
            assertThat(node.signals.count(Kind.COLD_ENQUEUED)).isEqualTo(1);
        }
    }

    @Test
    @Timeout(60)
    void an_event_with_a_time_is_delivered_then() throws Exception {
        Instant due = Instant.now().plus(DELAY);
        try (Node node = node(builder -> builder, builder -> builder.claimLocking(Duration.ofMinutes(5)))) {
            node.commit(tick("late").availableAt(due).build());
            node.signals.await(Kind.SUCCESS, 1);
        }

        assertThat(Instant.now()).isAfterOrEqualTo(due);
        assertThat(table.find("late").status()).isEqualTo(EventStatus.DONE);
    }

    @Test
    @Timeout(60)
    void in_order_a_delayed_event_keeps_its_followers_waiting() throws Exception {
        try (Node node = node(
                builder -> builder.ordering(Ordering.PER_AGGREGATE),
                builder -> builder.claimLocking(Duration.ofMinutes(5)))) {
            node.commit(
                    tick("k1").aggregateId("k").deliverAfter(DELAY).build(),
                    tick("k2").aggregateId("k").build(),
                    tick("other").aggregateId("o").build());
            node.commit(tick("k3").aggregateId("k").build());
            node.signals.await(Kind.SUCCESS, 4);

            assertThat(delivered).containsExactly("other", "k1", "k2", "k3");
        }
    }

    private static List<WriteReceipt> enqueue(Node node, EventEnvelope... events) throws SQLException {
        try (JdbcTransactionManager.Transaction tx = node.transactions.begin()) {
            List<WriteReceipt> receipts = node.writer.enqueueAll(List.of(events), DuplicatePolicy.IGNORE);
            tx.commit();
            return receipts;
        }
    }

    @ParameterizedTest
    @CsvSource({"false, NONE", "true, NONE", "true, PER_AGGREGATE"})
    @Timeout(60)
    void an_event_that_is_written_twice_is_delivered_once(boolean claiming, Ordering ordering) throws Exception {
        try (Node node = node(
                builder -> builder.ordering(ordering),
                builder -> claiming ? builder.claimLocking(Duration.ofMinutes(5)) : builder)) {
            WriteReceipt first =
                    enqueue(node, tick("a").aggregateId("k").build()).get(0);
            node.signals.await(Kind.SUCCESS, 1);
            List<WriteReceipt> again = enqueue(
                    node,
                    tick("a").aggregateId("k").build(),
                    tick("b").aggregateId("k").build());
            node.signals.await(Kind.SUCCESS, 2);

            assertThat(first.alreadyThere()).isFalse();
            assertThat(again).extracting(WriteReceipt::alreadyThere).containsExactly(true, false);
            assertThat(again.get(0).sequence()).isEqualTo(first.sequence()).isPresent();
            assertThat(delivered).containsExactly("a", "b");
        }
    }
}
