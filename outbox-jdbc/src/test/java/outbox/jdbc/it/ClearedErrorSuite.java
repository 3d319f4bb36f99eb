package outbox.jdbc.it;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;
import outbox.model.EventStatus;
import outbox.spi.LeaseStore;
import outbox.spi.OutboxStore;
import outbox.testing.StoredEvent;
import outbox.testing.contract.JdbcStoreFixture;

import static org.assertj.core.api.Assertions.assertThat;

/** The error of an earlier failure, once the event is delivered after all. */
abstract class ClearedErrorSuite {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    abstract TestedDatabase database();

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void it_is_cleared_by_the_same_statement_if_asked_and_stays_otherwise(boolean clears) throws SQLException {
        JdbcStoreFixture table = Tables.shipped(database(), "cleared_outbox");
        OutboxStore store = clears ? table.store().clearingErrors() : table.store();
        OutboxStore limited = store.withMarkTimeout(Duration.ofSeconds(5));
        try (Connection conn = database().pool().getConnection()) {
            for (String id : List.of("one", "many", "limited", "leased", "limited-leased")) {
                store.insertNew(conn, event(id));
                store.markRetry(conn, id, NOW, "the first try failed");
            }
            assertThat(plansOf(conn, counted -> store.markDone(counted, "one"))).isEqualTo(1);
            assertThat(plansOf(conn, counted -> store.markDoneAll(counted, List.of("many"))))
                    .isEqualTo(1);
            limited.markDone(conn, "limited");
            LeaseStore leases = store.leases();
            leases.claim(conn, "me", Duration.ofMinutes(1), Duration.ZERO, 10);
            assertThat(plansOf(conn, counted -> leases.markDone(counted, "me", List.of("leased"))))
                    .isEqualTo(1);
            limited.leases().markDone(conn, "me", List.of("limited-leased"));
        }
        for (String id : List.of("one", "many", "limited", "leased", "limited-leased")) {
            StoredEvent row = table.find(id);
            assertThat(row.status()).isEqualTo(EventStatus.DONE);
            assertThat(row.attempts()).isEqualTo(1);
            assertThat(row.lastError()).as(id).isEqualTo(clears ? null : "the first try failed");
        }
    }

    @Test
    void other_marks_keep_their_errors() throws SQLException {
        JdbcStoreFixture table = Tables.shipped(database(), "cleared_outbox_too");
        OutboxStore store = table.store().clearingErrors();
        try (Connection conn = database().pool().getConnection()) {
            store.insertNew(conn, event("a"));
            store.markRetry(conn, "a", NOW, "no");
            assertThat(table.find("a").lastError()).isEqualTo("no");
            store.markDead(conn, "a", "never");
        }
        assertThat(table.find("a").lastError()).isEqualTo("never");
    }

    private interface Work {
        void on(Connection conn);
    }

    /** How many statements the work takes. */
    private static int plansOf(Connection conn, Work work) throws SQLException {
        ExplainingConnection explaining = new ExplainingConnection(conn);
        work.on(explaining.connection());
        return explaining.plans().size();
    }

    private static EventEnvelope event(String id) {
        return EventEnvelope.builder("T")
                .eventId(id)
                .occurredAt(NOW)
                .payloadJson("{}")
                .build();
    }
}
