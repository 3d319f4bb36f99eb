package outbox.domain;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxException;
import outbox.OutboxWriter;
import outbox.WriterHook;
import outbox.jdbc.JdbcOutbox;
import outbox.model.OutboxEvent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class DomainEventOutboxServiceTest {

    private static final DomainEventContext CONTEXT = DomainEventContext.of("Order", "42");

    private H2Outbox h2;
    private DomainEventOutboxService service;

    @BeforeEach
    void createDatabase() throws SQLException {
        h2 = new H2Outbox();
        service = new DomainEventOutboxService(h2.writer, new PlainText());
    }

    @AfterEach
    void dropDatabase() throws SQLException {
        h2.close();
    }

    private void save(Order order) throws SQLException {
        try (var tx = h2.transactions.begin()) {
            H2Outbox.execute(tx.connection(), "INSERT INTO orders VALUES ('42')");
            service.recordPulledDomainEvents(order, CONTEXT);
            tx.commit();
        }
    }

    @Test
    void events_are_committed_with_the_aggregate_and_leave_it() throws SQLException {
        Order order = new Order().place("Ann").pay(5);

        save(order);

        assertThat(h2.column("SELECT id FROM orders")).containsExactly("42");
        assertThat(h2.eventTypes()).containsExactly("order-placed", "order-paid");
        assertThat(order.pullDomainEvents()).isEmpty();
    }

    @Test
    void a_row_holds_what_event_and_context_say() throws SQLException {
        Order order = new Order().pay(5);
        String eventId = order.waiting().get(0L).eventId();
        var context = new DomainEventContext("Order", "42", Map.of("trace", "t1")).withTenantId("acme");

        try (var tx = h2.transactions.begin()) {
            assertThat(service.recordPulledDomainEvents(order, context)).containsExactly(eventId);
            tx.commit();
        }

        OutboxEvent row = h2.onlyRow();
        assertThat(row.aggregateType()).isEqualTo("Order");
        assertThat(row.aggregateId()).isEqualTo("42");
        assertThat(row.tenantId()).isEqualTo("acme");
        assertThat(row.createdAt()).isEqualTo(Order.AT);
        assertThat(row.headersJson()).isEqualTo("{\"trace\":\"t1\",\"eventVersion\":\"2\"}");
        assertThat(row.payloadJson()).isEqualTo(PlainText.text(eventId, "5"));
    }

    @Test
    void a_rollback_brings_the_events_back_for_a_retry_of_the_transaction() throws SQLException {
        Order order = new Order().place("Ann").pay(5);
        try (var tx = h2.transactions.begin()) {
            H2Outbox.execute(tx.connection(), "INSERT INTO orders VALUES ('42')");
            service.recordPulledDomainEvents(order, CONTEXT);
            tx.rollback();
        }
        assertThat(h2.eventTypes()).isEmpty();

        save(order);

        assertThat(h2.column("SELECT id FROM orders")).containsExactly("42");
        assertThat(h2.eventTypes()).containsExactly("order-placed", "order-paid");
        assertThat(order.pullDomainEvents()).isEmpty();
    }

    @Test
    void what_was_recorded_in_several_steps_comes_back_in_the_order_in_which_it_was_raised() throws SQLException {
        Order order = new Order();
        try (var tx = h2.transactions.begin()) {
            service.recordPulledDomainEvents(order.pay(1), CONTEXT);
            service.recordPulledDomainEvents(order.pay(2), CONTEXT);
            order.pay(3);
            tx.rollback();
        }

        assertThat(order.pullDomainEvents())
                .extracting(event -> ((Order.Paid) event).cents())
                .containsExactly(1L, 2L, 3L);
    }

    @Test
    void recording_twice_in_a_transaction_writes_once() throws SQLException {
        Order order = new Order().place("Ann");
        try (var tx = h2.transactions.begin()) {
            service.recordPulledDomainEvents(order, CONTEXT);
            assertThat(service.recordPulledDomainEvents(order, CONTEXT)).isEmpty();
            tx.commit();
        }

        assertThat(h2.eventTypes()).containsExactly("order-placed");
    }

    @Test
    void an_event_that_cannot_be_serialized_fails_before_anything_is_written() throws SQLException {
        Order order = new Order().place("Ann").mention();
        try (var tx = h2.transactions.begin()) {
            assertThatExceptionOfType(OutboxException.class)
                    .isThrownBy(() -> service.recordPulledDomainEvents(order, CONTEXT))
                    .withMessageContaining("Order$Unnamed")
                    .withMessageContaining("nothing was written")
                    .withCauseInstanceOf(IllegalArgumentException.class);
            tx.commit();
        }

        assertThat(h2.eventTypes()).isEmpty();
        assertThat(order.pullDomainEvents()).hasSize(2);
    }

    @Test
    void a_write_that_fails_leaves_the_events_on_the_aggregate() throws SQLException {
        Order order = new Order();
        order.raise(new Order.Paid("twice", Order.AT, 1));
        order.raise(new Order.Paid("twice", Order.AT, 2));
        try (var tx = h2.transactions.begin()) {
            assertThatExceptionOfType(OutboxException.class)
                    .isThrownBy(() -> service.recordPulledDomainEvents(order, CONTEXT));
        }

        assertThat(order.pullDomainEvents()).hasSize(2);
    }

    @Test
    void without_a_transaction_nothing_is_written_and_the_aggregate_keeps_its_events() throws SQLException {
        Order order = new Order().place("Ann");

        assertThatIllegalStateException()
                .isThrownBy(() -> service.recordPulledDomainEvents(order, CONTEXT))
                .withMessageContaining("No active transaction");
        assertThat(order.pullDomainEvents()).hasSize(1);
    }

    @Test
    void nothing_to_pull_means_nothing_written_and_no_call_of_the_writer() throws SQLException {
        List<Integer> batches = new ArrayList<>();
        WriterHook counting = new WriterHook() {
            @Override
            public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
                batches.add(events.size());
                return events;
            }
        };
        service = new DomainEventOutboxService(new OutboxWriter(h2.txContext, h2.store, counting), new PlainText());
        try (var tx = h2.transactions.begin()) {
            service.recordPulledDomainEvents(new Order(), CONTEXT);
            service.recordPulledDomainEvents(new Order().place("Ann").pay(5), CONTEXT);
            tx.commit();
        }

        assertThat(batches).containsExactly(2);
    }

    @Test
    void the_version_header_is_not_the_callers_to_set() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new DomainEventContext("Order", "42", Map.of("eventVersion", "9")))
                .withMessageContaining("\"eventVersion\" is set by the outbox");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DomainEventContext.of(" ", "42"))
                .withMessageContaining("aggregateType must not be empty");
    }

    @Test
    void events_of_an_aggregate_reach_typed_handlers_in_their_order() throws Exception {
        List<Long> paid = new ArrayList<>();
        CountDownLatch arrived = new CountDownLatch(50);
        DomainEventListener listener = DomainEventListener.builder(
                        DomainEventTypes.of(Order.OrderEvent.class), new PlainText())
                .on(Order.Paid.class, event -> {
                    synchronized (paid) {
                        paid.add(event.cents());
                    }
                    arrived.countDown();
                })
                .build();
        h2.prepareForOrder();
        try (Outbox outbox = JdbcOutbox.builder(h2.dataSource, h2.txContext)
                .aggregateListener("Order", listener)
                .ordered()
                .build()) {
            outbox.start();
            var recording = new DomainEventOutboxService(outbox.writer(), new PlainText());
            Order order = new Order();
            for (int tx = 0; tx < 10; tx++) {
                try (var transaction = h2.transactions.begin()) {
                    for (int i = 0; i < 5; i++) {
                        order.pay(tx * 5L + i);
                    }
                    recording.recordPulledDomainEvents(order, CONTEXT);
                    transaction.commit();
                }
            }
            assertThat(arrived.await(30, TimeUnit.SECONDS)).isTrue();
        }

        assertThat(paid).isSorted().hasSize(50);
    }
}
