package outbox.jdbc.it;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.DuplicatePolicy;
import outbox.EventEnvelope;
import outbox.JoinedWriter;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.jdbc.JdbcOutbox;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableName;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Who writes an event id a second time is told so, and how it is done without harm. */
@Timeout(60)
abstract class DuplicateIdSuite {

    private static final TableName TABLE = TableName.of("twice_outbox");
    private static final String WAY_OUT = ". An event id is written once; where work may be repeated, write with"
            + " enqueue(event, DuplicatePolicy.IGNORE), which keeps the event that is there";

    abstract TestedDatabase database();

    @BeforeEach
    void createTable() {
        Tables.shipped(database(), TABLE.table());
    }

    private OutboxBuilder builder() {
        return JdbcOutbox.builder(database().pool(), TABLE)
                .withoutPurge()
                .poller(poller -> poller.intervalMs(TimeUnit.HOURS.toMillis(1)));
    }

    private OutboxBuilder delivering() {
        return builder().defaultListener(event -> {});
    }

    private static EventEnvelope event(String id) {
        return EventEnvelope.builder("Placed")
                .eventId(id)
                .aggregateType("Order")
                .aggregateId("7")
                .payloadJson("{\"secret\":\"marker\"}")
                .build();
    }

    private static List<EventEnvelope> events(int count, String last) {
        return IntStream.rangeClosed(1, count)
                .mapToObj(i -> event(i == count ? last : "new-" + i))
                .toList();
    }

    /** What only the database can know: whether the transaction can go on. */
    private void refuses(AbstractThrowableAssert<?, ? extends Throwable> refused, String reason) {
        boolean aborted = database() == TestedDatabase.POSTGRESQL;
        refused.isExactlyInstanceOf(OutboxStoreException.class)
                .hasMessageStartingWith("Cannot insert ")
                .hasMessageEndingWith(": " + reason + WAY_OUT
                        + (aborted
                                ? ". The database has aborted the transaction: roll it back, nothing more can be done in it"
                                : ""))
                .hasMessageNotContaining("marker")
                .hasCauseInstanceOf(SQLException.class);
    }

    private void writesTwice(Outbox outbox) {
        outbox.inTransaction(tx -> {
            outbox.write(event("id\nSEVERE: forged"));
        });
        refuses(
                assertThatThrownBy(() -> outbox.inTransaction(tx -> {
                    outbox.write(event("id\nSEVERE: forged"));
                })),
                "event id\\nSEVERE: forged is already there");
    }

    @Test
    void by_a_write_on_the_hot_path() {
        try (Outbox outbox = delivering().build()) {
            outbox.start();
            writesTwice(outbox);
        }
    }

    @Test
    void by_a_write_in_order() {
        try (Outbox outbox = delivering().ordered().build()) {
            outbox.start();
            writesTwice(outbox);
        }
    }

    @Test
    void by_a_write_that_nobody_here_delivers() {
        try (Outbox outbox = builder().writerOnly().build()) {
            writesTwice(outbox);
        }
        Tables.execute(database().pool(), "DELETE FROM " + TABLE);
        try (Outbox outbox = delivering().singleProcess().build()) {
            writesTwice(outbox);
        }
    }

    @Test
    void by_a_write_in_a_transaction_of_others() throws SQLException {
        try (Outbox outbox = delivering().build();
                Connection conn = database().pool().getConnection()) {
            outbox.start();
            conn.setAutoCommit(false);
            try (JoinedWriter writer = outbox.on(conn)) {
                writer.write(event("a"));
            }
            conn.commit();
            try (JoinedWriter writer = outbox.on(conn)) {
                refuses(assertThatThrownBy(() -> writer.write(event("a"))), "event a is already there");
            }
            conn.rollback();
            conn.setAutoCommit(true);
        }
    }

    @Test
    void in_a_batch() {
        for (OutboxBuilder settings : List.of(delivering(), delivering().ordered())) {
            Tables.execute(database().pool(), "DELETE FROM " + TABLE);
            try (Outbox outbox = settings.build()) {
                outbox.inTransaction(tx -> {
                    outbox.write(event("old"));
                });
                refuses(
                        assertThatThrownBy(() -> outbox.inTransaction(tx -> {
                            outbox.writer().writeAll(events(2, "old"));
                        })),
                        "one of the events new-1, old is already there");
                refuses(
                        assertThatThrownBy(() -> outbox.inTransaction(tx -> {
                            outbox.writer().writeAll(events(5, "old"));
                        })),
                        "one of the events new-1, new-2, new-3, … is already there");
                refuses(
                        assertThatThrownBy(() -> outbox.inTransaction(tx -> {
                            outbox.writer().writeAll(events(5, "new-2"));
                        })),
                        "event new-2 was given twice");
            }
        }
        assertThat(Tables.select(database().pool(), "SELECT event_id FROM " + TABLE))
                .containsExactly("old");
    }

    @Test
    void the_advice_works_where_the_write_failed() {
        try (Outbox outbox = delivering().build()) {
            writesTwice(outbox);
            outbox.inTransaction(tx -> {
                assertThat(outbox.writer()
                                .enqueue(event("id\nSEVERE: forged"), DuplicatePolicy.IGNORE)
                                .alreadyThere())
                        .isTrue();
                outbox.write(event("next"));
            });
        }
        assertThat(Tables.select(database().pool(), "SELECT event_id FROM " + TABLE))
                .hasSize(2);
    }
}
