package outbox.jdbc.it;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;
import outbox.testing.StoredEvent;
import outbox.testing.contract.JdbcStoreFixture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Events that somebody writes without this library, with as few columns as possible. */
abstract class PlainWriterSuite {

    /** Far less than the distance of the time zones from UTC. */
    private static final Duration CLOCKS_MAY_DIFFER = Duration.ofMinutes(30);

    private static final String PLAIN =
            "INSERT INTO outbox_event (event_id, event_type, payload, status)" + " VALUES ('plain', 'Tick', '{}', 0)";

    abstract TestedDatabase database();

    @ParameterizedTest
    @ValueSource(strings = {"-11:00", "+13:00"})
    void times_that_are_left_out_are_the_database_s_in_utc_whatever_the_session_s_zone(String zone) throws Exception {
        JdbcStoreFixture table = Tables.shipped(database(), "outbox_event");
        List<EventEnvelope> delivered = Collections.synchronizedList(new ArrayList<>());
        Instant before = Instant.now();
        try (HikariDataSource far = database()
                        .newPool(
                                1,
                                config -> config.setConnectionInitSql(database().setTimeZone(zone)));
                Node node = new Node(database().pool(), table.store())) {
            if (!database().hasDefaultTimes()) {
                assertThatThrownBy(() -> Tables.execute(far, PLAIN)).hasRootCauseInstanceOf(SQLException.class);
                return;
            }
            Tables.execute(far, PLAIN);
            StoredEvent stored = table.find("plain");
            node.listeners.register("Tick", delivered::add);
            node.poller.start();
            node.signals.await(Signals.Kind.SUCCESS, 1);

            assertThat(stored.availableAt()).isEqualTo(stored.createdAt());
        }
        assertThat(delivered).singleElement().satisfies(event -> {
            assertThat(event.eventId()).isEqualTo("plain");
            assertThat(event.payloadJson()).isEqualTo("{}");
            assertThat(event.occurredAt()).isBetween(before.minus(CLOCKS_MAY_DIFFER), before.plus(CLOCKS_MAY_DIFFER));
        });
    }
}
