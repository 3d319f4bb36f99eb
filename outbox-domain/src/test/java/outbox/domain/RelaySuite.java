package outbox.domain;

import java.sql.SQLException;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Relays that share a table. */
abstract class RelaySuite {

    private static final int EVENTS = 300;

    private final Queue<String> published = new ConcurrentLinkedQueue<>();
    private final Set<String> failedOnce = ConcurrentHashMap.newKeySet();
    private final CyclicBarrier together = new CyclicBarrier(2);
    private OutboxDatabase database;

    abstract OutboxDatabase open() throws SQLException;

    @BeforeEach
    void openDatabase() throws SQLException {
        database = open();
        Order order = new Order();
        for (int i = 0; i < EVENTS; i++) {
            order.raise(new Order.Paid(id(i), Order.AT, i));
        }
        try (var tx = database.transactions.begin()) {
            new DomainEventOutboxService(database.writer, new PlainText())
                    .recordPulledDomainEvents(order, DomainEventContext.of("Order", "42"));
            tx.commit();
        }
    }

    @AfterEach
    void closeDatabase() {
        database.close();
    }

    private static String id(int i) {
        return "e%03d".formatted(i);
    }

    private OutboxRelayService.Builder relay(OutboxTransport transport) {
        return OutboxRelayService.builder()
                .connectionProvider(database.connections)
                .outboxStore(database.store)
                .retryPolicy(attempts -> 0)
                .transport(transport);
    }

    /** Every tenth event fails once; a relay takes batches until all have been published by anybody. */
    private int relayUntilAllIsPublished() throws Exception {
        int mine = 0;
        try (OutboxRelayService relay = relay(event -> {
                    if (event.eventId().endsWith("7") && failedOnce.add(event.eventId())) {
                        throw new IllegalStateException("not yet");
                    }
                    published.add(event.eventId());
                })
                .build()) {
            together.await(30, TimeUnit.SECONDS);
            while (published.size() < EVENTS && !Thread.currentThread().isInterrupted()) {
                mine += relay.relayOnce(7);
            }
        }
        return mine;
    }

    @Test
    void two_relays_at_once_publish_everything_and_nothing_twice() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            Future<Integer> one = threads.submit(this::relayUntilAllIsPublished);
            Future<Integer> two = threads.submit(this::relayUntilAllIsPublished);
            assertThat(one.get(60, TimeUnit.SECONDS) + two.get(60, TimeUnit.SECONDS))
                    .isEqualTo(EVENTS);
        } finally {
            threads.shutdownNow();
        }

        List<String> all = IntStream.range(0, EVENTS).mapToObj(RelaySuite::id).toList();
        assertThat(published).containsExactlyInAnyOrderElementsOf(all);
        assertThat(failedOnce).hasSize(EVENTS / 10);
        assertThat(database.column("SELECT DISTINCT status FROM outbox_event")).containsExactly("1");
        assertThat(database.column("SELECT event_id FROM outbox_event WHERE attempts <> 1 AND event_id LIKE '%7'"))
                .isEmpty();
    }

    @Test
    void while_a_relay_publishes_another_one_gets_the_events_behind_its_batch() throws Exception {
        try (OutboxRelayService other = relay(event -> published.add("other " + event.eventId()))
                        .build();
                OutboxRelayService first = relay(event -> {
                            if (event.eventId().equals(id(0))) {
                                other.relayOnce(2);
                            }
                            published.add("first " + event.eventId());
                        })
                        .build()) {
            assertThat(first.relayOnce(2)).isEqualTo(2);
        }

        assertThat(published).containsExactly("other " + id(2), "other " + id(3), "first " + id(0), "first " + id(1));
    }

    @Test
    void a_batch_is_published_oldest_first_and_marked_done() throws SQLException {
        try (OutboxRelayService relay =
                relay(event -> published.add(event.eventId())).build()) {
            assertThat(relay.relayOnce(EVENTS - 1)).isEqualTo(EVENTS - 1);
            assertThat(List.copyOf(published)).hasSize(EVENTS - 1).isSorted();
            assertThat(relay.relayOnce(2)).isEqualTo(1);
            assertThat(relay.relayOnce(2)).isZero();
        }

        assertThat(published).last().isEqualTo(id(EVENTS - 1));
        assertThat(database.column("SELECT done_at FROM outbox_event")).doesNotContainNull();
    }

    @Test
    void an_event_whose_attempts_are_used_up_is_dead_and_the_others_are_published() throws SQLException {
        try (OutboxRelayService relay = relay(event -> {
                    if (event.eventId().equals(id(0))) {
                        throw new IllegalStateException("down");
                    }
                })
                .maxAttempts(2)
                .build()) {
            assertThat(relay.relayOnce(EVENTS)).isEqualTo(EVENTS - 1);
            assertThat(relay.relayOnce(EVENTS)).isZero();
            assertThat(relay.relayOnce(EVENTS)).isZero();
        }

        assertThat(database.countDead()).isEqualTo(1);
        assertThat(database.column("SELECT last_error FROM outbox_event WHERE event_id = '" + id(0) + "'"))
                .containsExactly("java.lang.IllegalStateException: down");
    }
}
