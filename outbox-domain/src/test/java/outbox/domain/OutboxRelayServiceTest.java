package outbox.domain;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

class OutboxRelayServiceTest {

    private final List<String> published = new ArrayList<>();
    private H2Outbox h2;

    @BeforeEach
    void createDatabase() throws SQLException {
        h2 = new H2Outbox();
    }

    @AfterEach
    void dropDatabase() throws SQLException {
        h2.close();
    }

    private void write(int events) throws SQLException {
        Order order = new Order();
        for (int i = 1; i <= events; i++) {
            order.raise(new Order.Paid("e" + i, Order.AT, i));
        }
        try (var tx = h2.transactions.begin()) {
            new DomainEventOutboxService(h2.writer, new PlainText())
                    .recordPulledDomainEvents(order, DomainEventContext.of("Order", "42"));
            tx.commit();
        }
    }

    private OutboxRelayService.Builder relay(OutboxTransport transport) {
        return OutboxRelayService.builder()
                .connectionProvider(h2.connections)
                .outboxStore(h2.store)
                .retryPolicy(attempts -> 0)
                .transport(transport);
    }

    @Test
    void a_batch_is_published_oldest_first_and_marked_done() throws SQLException {
        write(3);
        try (OutboxRelayService relay =
                relay(event -> published.add(event.eventId())).build()) {
            assertThat(relay.relayOnce(2)).isEqualTo(2);
            assertThat(published).containsExactly("e1", "e2");
            assertThat(relay.relayOnce(2)).isEqualTo(1);
            assertThat(relay.relayOnce(2)).isZero();
        }

        assertThat(published).containsExactly("e1", "e2", "e3");
        assertThat(h2.column("SELECT DISTINCT status FROM outbox_event")).hasSize(1);
        assertThat(h2.column("SELECT done_at FROM outbox_event")).doesNotContainNull();
    }

    @Test
    void a_failure_harms_its_own_event_only_and_is_retried_without_anybody_asking() throws SQLException {
        write(2);
        List<Throwable> failures = new ArrayList<>(List.of(new IllegalStateException("down"), new AssertionError("x")));
        try (OutboxRelayService relay = relay(event -> {
                    if (event.eventId().equals("e1") && !failures.isEmpty()) {
                        Throwable failure = failures.remove(0);
                        if (failure instanceof Error error) {
                            throw error;
                        }
                        throw (Exception) failure;
                    }
                    published.add(event.eventId());
                })
                .build()) {
            assertThat(relay.relayOnce(10)).isEqualTo(1);
            assertThat(h2.column("SELECT last_error FROM outbox_event WHERE event_id = 'e1'"))
                    .containsExactly("java.lang.IllegalStateException: down");
            assertThat(relay.relayOnce(10)).isZero();
            assertThat(relay.relayOnce(10)).isEqualTo(1);
        }

        assertThat(published).containsExactly("e2", "e1");
    }

    @Test
    void an_event_whose_attempts_are_used_up_is_dead() throws SQLException {
        write(1);
        try (OutboxRelayService relay = relay(event -> {
                    published.add(event.eventId());
                    throw new IllegalStateException("down");
                })
                .maxAttempts(2)
                .build()) {
            relay.relayOnce(10);
            relay.relayOnce(10);
            assertThat(relay.relayOnce(10)).isZero();
        }

        assertThat(published).hasSize(2);
        try (var conn = h2.dataSource.getConnection()) {
            assertThat(h2.store.countDead(conn, null)).isEqualTo(1);
        }
    }

    @Test
    void what_cannot_be_published_while_its_lease_lasts_is_given_back() throws SQLException {
        write(3);
        try (OutboxRelayService slow = relay(event -> {
                            published.add("slow " + event.eventId());
                            TimeUnit.MILLISECONDS.sleep(1_100);
                        })
                        .lease(Duration.ofSeconds(2))
                        .build();
                OutboxRelayService other = relay(event -> published.add("other " + event.eventId()))
                        .build()) {
            assertThat(slow.relayOnce(10)).isEqualTo(1);
            assertThat(other.relayOnce(10)).isEqualTo(2);
        }

        assertThat(published).containsExactly("slow e1", "other e2", "other e3");
    }

    @Test
    void once_started_it_relays_batch_after_batch() throws Exception {
        write(5);
        CountDownLatch arrived = new CountDownLatch(5);
        try (OutboxRelayService relay = relay(event -> arrived.countDown())
                .batchSize(2)
                .interval(Duration.ofHours(1))
                .build()) {
            relay.start();
            relay.start();
            assertThat(arrived.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void nonsense_is_refused_with_the_name_of_the_setting() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> relay(event -> {}).build().relayOnce(0))
                .withMessage("batchSize must be >= 1, was 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> relay(event -> {}).lease(Duration.ZERO))
                .withMessage("lease must be positive, was PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> relay(event -> {}).maxAttempts(0))
                .withMessage("maxAttempts must be >= 1, was 0");
        assertThatNullPointerException()
                .isThrownBy(() -> OutboxRelayService.builder().build())
                .withMessage("connectionProvider is required");
    }
}
