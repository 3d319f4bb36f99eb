package outbox.samples.demo;

import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.jdbc.store.H2OutboxStore;

import static org.assertj.core.api.Assertions.assertThat;

/** The closing table is only worth something if it would notice. */
class TallyTest {

    private final H2OutboxStore store = new H2OutboxStore();
    private final Order order = Order.of("order-1");
    private final EventEnvelope event = order.placed();
    private Database database;
    private Journal journal;

    @BeforeEach
    void open() throws Exception {
        database = Database.inMemory();
        journal = new Journal(database);
    }

    @AfterEach
    void close() throws Exception {
        database.close();
    }

    @Test
    void an_order_that_was_delivered_and_is_DONE_counts_as_delivered() throws Exception {
        on(order::insert);
        on(conn -> store.insertNew(conn, event));
        journal.delivered(event, 1L);
        on(conn -> store.markDone(conn, event.eventId()));

        assertThat(Tally.of(database)).isEqualTo(new Tally(1, 1, 0, 0, 0, 0, 0, 0));
    }

    @Test
    void an_order_without_event_or_delivery_is_lost() throws Exception {
        on(order::insert);
        assertThat(Tally.of(database)).isEqualTo(new Tally(1, 0, 0, 0, 0, 1, 0, 0));

        journal.delivered(event, 1L);
        assertThat(Tally.of(database).lost()).isEqualTo(1);
    }

    @Test
    void an_event_and_a_delivery_without_an_order_are_ghosts() throws Exception {
        on(conn -> store.insertNew(conn, event));
        journal.delivered(event, 1L);

        assertThat(Tally.of(database)).isEqualTo(new Tally(0, 0, 0, 0, 0, 0, 2, 1));
        assertThat(Tally.of(database).brokenPromises()).hasSize(2);
    }

    @Test
    void a_second_delivery_of_the_same_event_counts_as_twice() throws Exception {
        on(order::insert);
        journal.delivered(event, 1L);
        journal.delivered(event, null);

        assertThat(Tally.of(database).twice()).isEqualTo(1);
    }

    @Test
    void failures_and_replays_count_only_when_a_delivery_followed() throws Exception {
        on(order::insert);
        journal.failed(event, new IllegalStateException("not yet"));
        journal.failed(event, new IllegalStateException("not yet"));
        journal.replayed(event.eventId(), order.id());
        assertThat(Tally.of(database)).returns(0L, Tally::retried).returns(0L, Tally::replayed);

        journal.delivered(event, null);
        assertThat(Tally.of(database)).returns(1L, Tally::retried).returns(1L, Tally::replayed);
    }

    @FunctionalInterface
    private interface Work {
        void on(Connection conn) throws SQLException;
    }

    private void on(Work work) throws SQLException {
        try (Connection conn = database.getConnection()) {
            work.on(conn);
        }
    }
}
