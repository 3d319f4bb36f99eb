package outbox.jdbc;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class EvictionsTest {

    private static final Logger LOGGER = Logger.getLogger(DataSourceConnectionProvider.class.getName());

    private final List<LogRecord> log = new ArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            log.add(line);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };
    private long nanos;
    private int aborted;
    private int closed;
    private final Evictions evictions = new Evictions(notAPool(), () -> nanos);

    @BeforeEach
    void listen() {
        LOGGER.addHandler(handler);
        LOGGER.setUseParentHandlers(false);
    }

    @AfterEach
    void stopListening() {
        LOGGER.removeHandler(handler);
        LOGGER.setUseParentHandlers(true);
    }

    private static DataSource notAPool() {
        return (DataSource) Proxy.newProxyInstance(
                EvictionsTest.class.getClassLoader(), new Class<?>[] {DataSource.class}, (p, method, args) -> false);
    }

    private Connection connection() {
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                    aborted += method.getName().equals("abort") ? 1 : 0;
                    closed += method.getName().equals("close") ? 1 : 0;
                    return null;
                });
    }

    private void pass(Duration time) {
        nanos += time.toNanos();
    }

    /** A refusal every 100 ms. */
    private void refuseFor(Duration time) throws SQLException {
        for (long millis = 0; millis < time.toMillis(); millis += 100) {
            evictions.evict(connection());
            pass(Duration.ofMillis(100));
        }
    }

    private List<String> logged(Level level) {
        return log.stream()
                .filter(line -> line.getLevel().equals(level))
                .map(LogRecord::getMessage)
                .toList();
    }

    @Test
    void many_refusals_at_once_cost_one_connection_and_the_others_go_back() throws SQLException {
        for (int i = 0; i < 10; i++) {
            evictions.evict(connection());
        }
        assertThat(aborted).isEqualTo(1);
        assertThat(closed).isEqualTo(10);
        assertThat(logged(Level.WARNING)).isEmpty();
    }

    @Test
    void a_database_that_never_writes_costs_few_connections_and_one_warning() throws SQLException {
        refuseFor(Duration.ofMinutes(2));

        assertThat(aborted).isBetween(10, 20);
        assertThat(logged(Level.WARNING)).singleElement().asString().contains("replica");
    }

    /** As a fail-over does that comes soon after another outage: what is left of leases is short. */
    @Test
    void another_trouble_soon_after_is_dealt_with_at_once() throws SQLException {
        refuseFor(Duration.ofSeconds(30));
        pass(Evictions.ANOTHER_TROUBLE);

        int before = aborted;
        refuseFor(Duration.ofSeconds(1));
        assertThat(aborted - before).isEqualTo(2);
        assertThat(logged(Level.WARNING)).as("still the same to a person").hasSize(1);
    }

    @Test
    void the_end_is_told_once_and_the_next_trouble_begins_from_the_start() throws SQLException {
        refuseFor(Duration.ofSeconds(10));
        evictions.lookForEnd();
        assertThat(logged(Level.INFO)).isEmpty();
        pass(Evictions.QUIET);
        evictions.lookForEnd();
        evictions.lookForEnd();
        assertThat(logged(Level.INFO)).singleElement().asString().contains("writes again");

        int before = aborted;
        evictions.evict(connection());
        assertThat(aborted).isEqualTo(before + 1);
        assertThat(logged(Level.WARNING)).hasSize(1);
    }

    @Test
    void a_short_trouble_is_not_worth_a_word() throws SQLException {
        evictions.evict(connection());
        pass(Evictions.QUIET);
        evictions.lookForEnd();
        assertThat(logged(Level.INFO)).isEmpty();
        assertThat(logged(Level.WARNING)).isEmpty();
    }
}
