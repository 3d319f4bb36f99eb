package outbox.domain;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
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

    private OutboxDatabase h2;
    private DomainEventOutboxService service;

    @BeforeEach
    void createDatabase() throws SQLException {
        h2 = OutboxDatabase.h2();
        service = new DomainEventOutboxService(h2.writer, new PlainText());
    }

    @AfterEach
    void dropDatabase() {
        h2.close();
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
    void a_transport_as_default_listener_gets_every_event_as_it_is_stored() throws Exception {
        BlockingQueue<String> published = new LinkedBlockingQueue<>();
        OutboxTransport transport = event -> published.add(event.aggregateType() + " " + event.eventType());
        try (Outbox outbox = JdbcOutbox.builder(h2.dataSource, h2.txContext)
                .listener("Order", "order-paid", event -> published.add("exact"))
                .defaultListener(transport.asListener())
                .build()) {
            outbox.start();
            try (var tx = h2.transactions.begin()) {
                service = new DomainEventOutboxService(outbox.writer(), new PlainText());
                service.recordPulledDomainEvents(new Order().place("Ann"), CONTEXT);
                service.recordPulledDomainEvents(new Order().place("Ben"), DomainEventContext.of("Basket", "7"));
                service.recordPulledDomainEvents(new Order().pay(5), CONTEXT);
                tx.commit();
            }
            List<String> three = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                three.add(published.poll(30, TimeUnit.SECONDS));
            }
            assertThat(three).containsExactlyInAnyOrder("Order order-placed", "Basket order-placed", "exact");
        }
    }

    @Test
    void contexts_and_stored_events_name_themselves_without_their_content() {
        assertThat(new DomainEventContext("Order", "42", Map.of("token", "secret")))
                .hasToString("DomainEventContext[Order/42]");
        assertThat(new StoredDomainEvent("order-paid", 2, "secret"))
                .hasToString("StoredDomainEvent[\"order-paid\" version 2]");
    }
}
