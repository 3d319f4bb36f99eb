package outbox.domain;

import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.OutboxException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** An aggregate's own rows and its events are committed together or not at all, and a transaction can be tried again. */
abstract class RecordingSuite {

    private static final DomainEventContext CONTEXT = DomainEventContext.of("Order", "42");

    private OutboxDatabase database;
    private DomainEventOutboxService service;

    abstract OutboxDatabase open() throws SQLException;

    @BeforeEach
    void openDatabase() throws SQLException {
        database = open();
        service = new DomainEventOutboxService(database.writer, new PlainText());
    }

    @AfterEach
    void closeDatabase() {
        database.close();
    }

    private void save(Order order) throws SQLException {
        try (var tx = database.transactions.begin()) {
            OutboxDatabase.execute(tx.connection(), "INSERT INTO orders VALUES ('42')");
            service.recordPulledDomainEvents(order, CONTEXT);
            tx.commit();
        }
    }

    @Test
    void events_are_committed_with_the_aggregate_and_leave_it() throws SQLException {
        Order order = new Order().place("Ann").pay(5);

        save(order);

        assertThat(database.orders()).containsExactly("42");
        assertThat(database.eventTypes()).containsExactly("order-placed", "order-paid");
        assertThat(order.pullDomainEvents()).isEmpty();
    }

    @Test
    void before_the_commit_nobody_else_sees_row_or_event() throws SQLException {
        try (var tx = database.transactions.begin()) {
            OutboxDatabase.execute(tx.connection(), "INSERT INTO orders VALUES ('42')");
            service.recordPulledDomainEvents(new Order().place("Ann"), CONTEXT);

            assertThat(database.orders()).isEmpty();
            assertThat(database.eventTypes()).isEmpty();
        }
    }

    @Test
    void a_rollback_brings_the_events_back_for_a_retry_of_the_transaction() throws SQLException {
        Order order = new Order().place("Ann").pay(5);
        try (var tx = database.transactions.begin()) {
            OutboxDatabase.execute(tx.connection(), "INSERT INTO orders VALUES ('42')");
            service.recordPulledDomainEvents(order, CONTEXT);
            tx.rollback();
        }
        assertThat(database.orders()).isEmpty();
        assertThat(database.eventTypes()).isEmpty();

        save(order);

        assertThat(database.orders()).containsExactly("42");
        assertThat(database.eventTypes()).containsExactly("order-placed", "order-paid");
        assertThat(order.pullDomainEvents()).isEmpty();
    }

    @Test
    void a_statement_that_fails_after_the_recording_takes_the_events_with_it() throws SQLException {
        Order order = new Order().place("Ann");
        assertThatExceptionOfType(SQLException.class).isThrownBy(() -> {
            try (var tx = database.transactions.begin()) {
                service.recordPulledDomainEvents(order, CONTEXT);
                OutboxDatabase.execute(tx.connection(), "INSERT INTO orders VALUES (NULL)");
                tx.commit();
            }
        });
        assertThat(database.eventTypes()).isEmpty();

        save(order);

        assertThat(database.eventTypes()).containsExactly("order-placed");
    }

    @Test
    void what_was_recorded_in_several_steps_comes_back_in_the_order_in_which_it_was_raised() throws SQLException {
        Order order = new Order();
        try (var tx = database.transactions.begin()) {
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
    void an_event_that_cannot_be_serialized_leaves_the_transaction_to_go_on_without_events() throws SQLException {
        Order order = new Order().place("Ann").mention();
        try (var tx = database.transactions.begin()) {
            OutboxDatabase.execute(tx.connection(), "INSERT INTO orders VALUES ('42')");
            assertThatExceptionOfType(OutboxException.class)
                    .isThrownBy(() -> service.recordPulledDomainEvents(order, CONTEXT));
            tx.commit();
        }

        assertThat(database.orders()).containsExactly("42");
        assertThat(database.eventTypes()).isEmpty();
        assertThat(order.pullDomainEvents()).hasSize(2);
    }

    @Test
    void a_write_that_fails_leaves_the_events_on_the_aggregate() throws SQLException {
        Order order = new Order();
        order.raise(new Order.Paid("twice", Order.AT, 1));
        order.raise(new Order.Paid("twice", Order.AT, 2));
        try (var tx = database.transactions.begin()) {
            assertThatExceptionOfType(OutboxException.class)
                    .isThrownBy(() -> service.recordPulledDomainEvents(order, CONTEXT));
        }

        assertThat(database.eventTypes()).isEmpty();
        assertThat(order.pullDomainEvents()).hasSize(2);
    }
}
