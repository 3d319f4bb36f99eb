package outbox.samples.joined;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.Outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Timeout(60)
class JoinedDemoTest {

    private final BlockingQueue<String> delivered = new LinkedBlockingQueue<>();

    /** The outbox is not started: there are no polls, and what is delivered was looked for after the word. */
    @ParameterizedTest
    @ValueSource(strings = {"jOOQ", "MyBatis", "Hibernate"})
    void an_event_goes_with_the_transaction_of_the_library(String library) throws Exception {
        JdbcConnectionPool database = JoinedDemo.newDatabase();
        try (Outbox outbox = JoinedDemo.outbox(database, event -> delivered.add(event.aggregateId()));
                Libraries libraries = new Libraries(database)) {
            Orders orders = libraries.orders(library, outbox);
            assertThatThrownBy(() -> orders.place("rolled back", () -> {
                        throw new IllegalStateException("no");
                    }))
                    .hasStackTraceContaining("no");
            orders.place("committed", () -> {});

            assertThat(delivered.poll(30, TimeUnit.SECONDS)).isEqualTo("committed");
            assertThat(count(database, "SELECT COUNT(*) FROM orders")).isEqualTo(1);
            assertThat(count(database, "SELECT COUNT(*) FROM outbox_event")).isEqualTo(1);
        } finally {
            database.dispose();
        }
        assertThat(delivered).isEmpty();
    }

    private static int count(JdbcConnectionPool database, String sql) throws SQLException {
        try (Connection conn = database.getConnection();
                Statement statement = conn.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getInt(1);
        }
    }

    @Test
    void the_demo_announces_every_order() throws Exception {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        assertThat(JoinedDemo.run(new PrintStream(printed, true, StandardCharsets.UTF_8)))
                .isZero();

        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains(List.of("order by jOOQ", "order by MyBatis", "order by Hibernate"));
    }
}
