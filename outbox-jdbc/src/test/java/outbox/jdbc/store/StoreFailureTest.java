package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableName;
import outbox.jdbc.purge.H2EventPurger;
import outbox.spi.LeaseStore;
import outbox.spi.MissingNodeTableException;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What a caller learns when the database says no. */
class StoreFailureTest {

    private final H2OutboxStore store = new H2OutboxStore();
    private Connection conn;

    @BeforeEach
    void connect() throws SQLException {
        conn = DriverManager.getConnection("jdbc:h2:mem:");
    }

    @AfterEach
    void disconnect() throws SQLException {
        conn.close();
    }

    @Test
    void the_work_the_table_and_the_sql_state_are_named() {
        assertThatThrownBy(() -> store.markDone(conn, "e1"))
                .isInstanceOf(OutboxStoreException.class)
                .hasMessage("Cannot mark event e1 DONE in table outbox_event: SQLState 42S04, error 42104")
                .hasCauseInstanceOf(SQLException.class);
        assertThatThrownBy(() -> store.countDead(conn, null)).hasMessageStartingWith("Cannot count dead events");
        assertThatThrownBy(() -> new H2EventPurger().purge(conn, Instant.now(), 1))
                .isInstanceOf(OutboxStoreException.class)
                .hasMessage("Cannot purge table outbox_event");
    }

    @Test
    void names_with_line_breaks_begin_no_line_of_their_own() {
        String forged = "x\nSEVERE: forged";
        LeaseStore leases = store.leases();
        assertThatThrownBy(() -> leases.heartbeat(conn, forged))
                .isInstanceOf(MissingNodeTableException.class)
                .hasMessageNotContaining("forged")
                .hasMessageNotContaining("\n");
        assertThatThrownBy(() -> leases.forgetNode(conn, forged))
                .isInstanceOf(MissingNodeTableException.class)
                .hasMessageNotContaining("forged")
                .hasMessageContaining("from outbox-jdbc creates it");
        assertThatThrownBy(() -> leases.writeDown(conn, forged, new LeaseStore.Begun(forged, 0, 0)))
                .hasMessageStartingWith("Cannot write down the delivery of event x\\nSEVERE: forged in table");
        assertThatThrownBy(() -> store.replayDead(conn, forged))
                .hasMessageStartingWith("Cannot replay event x\\nSEVERE: forged in table");
        assertThatThrownBy(() ->
                        store.insertNew(conn, EventEnvelope.ofJson("x".repeat(128) + "\nSEVERE: forged", "{}")))
                .hasMessageNotContaining("\n");
    }

    @Test
    void the_payload_is_not_in_the_message() {
        OutboxSchema.create(conn, "h2", TableName.DEFAULT);
        EventEnvelope notJson = EventEnvelope.ofJson("X", "secret-marker");

        assertThatThrownBy(() -> store.insertNew(conn, notJson))
                .isInstanceOf(OutboxStoreException.class)
                .hasMessageStartingWith("Cannot insert 1 event(s) in table outbox_event")
                .hasMessageNotContaining("secret-marker");
    }

    @Test
    void a_purge_without_limit_is_refused() {
        assertThatThrownBy(() -> new H2EventPurger().purge(conn, Instant.now(), 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("limit must be >= 1, was 0");
    }
}
