package outbox.jdbc.store;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableName;
import outbox.spi.LeaseStore;
import outbox.spi.LeaseStore.HeldDead;
import outbox.spi.LeaseStore.HeldRetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What happens if others come in between: deadlocks, and claims at the same time. */
class JdbcLeaseStoreTest {

    private static final String URL = "jdbc:h2:mem:leases";
    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    private final LeaseStore leases = new H2OutboxStore().leases();
    private Connection conn;

    @BeforeEach
    void insertEvents() throws SQLException {
        conn = DriverManager.getConnection(URL);
        OutboxSchema.create(conn, "h2", TableName.DEFAULT);
        leases.insertLeased(conn, List.of(event("a"), event("b")), "owner");
    }

    @AfterEach
    void close() throws SQLException {
        conn.close();
    }

    private static EventEnvelope event(String id) {
        return EventEnvelope.builder("Tick").eventId(id).payloadJson("{}").build();
    }

    private interface Step {
        void run() throws SQLException;
    }

    /** A connection on which so many statements do their work and are then told that they were the victim of a deadlock. */
    private Connection withDeadlocks(int count) {
        return afterFirst(count, () -> {
            throw new SQLException("Deadlock", "40001");
        });
    }

    /** A connection on which something happens after each of the first statements. */
    private Connection afterFirst(int count, Step step) {
        AtomicInteger left = new AtomicInteger(count);
        return proxy(Connection.class, conn, () -> {
            if (left.getAndDecrement() > 0) {
                step.run();
            }
        });
    }

    private static <T> T proxy(Class<T> type, T target, Step afterStatement) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
            Object result;
            try {
                result = method.invoke(target, args);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
            if (method.getName().startsWith("execute")) {
                afterStatement.run();
            }
            return result instanceof PreparedStatement statement
                    ? proxy(PreparedStatement.class, statement, afterStatement)
                    : result;
        }));
    }

    private static List<String> ids(List<LeaseStore.Taken> events) {
        return events.stream().map(taken -> taken.event().eventId()).toList();
    }

    private List<String> statuses() throws SQLException {
        return JdbcTemplate.query(conn, "SELECT status FROM outbox_event ORDER BY event_id", row -> row.getString(1));
    }

    @Test
    void a_batch_of_retries_that_was_rolled_back_half_way_is_repeated_whole() throws SQLException {
        assertThat(leases.markRetry(
                        withDeadlocks(2),
                        "owner",
                        List.of(
                                new HeldRetry("a", 1, Duration.ofHours(1), "x"),
                                new HeldRetry("b", 1, Duration.ofHours(1), "x"))))
                .isEmpty();

        assertThat(statuses()).containsExactly("2", "2");
        assertThat(conn.getAutoCommit()).isTrue();
    }

    @Test
    void a_batch_of_dead_events_that_was_rolled_back_half_way_is_repeated_whole() throws SQLException {
        assertThat(leases.markDead(withDeadlocks(2), "owner", List.of(new HeldDead("a", "x"), new HeldDead("b", null))))
                .isEmpty();

        assertThat(statuses()).containsExactly("3", "3");
    }

    @Test
    void in_a_transaction_of_the_caller_nothing_is_repeated() throws SQLException {
        conn.setAutoCommit(false);

        assertThatThrownBy(() -> leases.markDead(withDeadlocks(1), "owner", List.of(new HeldDead("a", "x"))))
                .isInstanceOf(OutboxStoreException.class);

        conn.rollback();
        conn.setAutoCommit(true);
        assertThat(statuses()).containsExactly("0", "0");
    }

    @Test
    void after_many_deadlocks_it_gives_up() {
        assertThatThrownBy(() -> leases.renew(withDeadlocks(1_000), "owner", List.of("a")))
                .isInstanceOf(OutboxStoreException.class)
                .hasMessageContaining("40001");
    }

    @Test
    void a_lock_that_was_waited_for_in_vain_is_not_waited_for_again() {
        int[] tries = {0};
        Connection timingOut = afterFirst(10, () -> {
            tries[0]++;
            throw new SQLException("Lock wait timeout exceeded", "40001", 1205);
        });

        assertThatThrownBy(() -> leases.renew(timingOut, "owner", List.of("a")))
                .isInstanceOf(OutboxStoreException.class);
        assertThat(tries[0]).isEqualTo(1);
    }

    @Test
    void a_claim_returns_nothing_that_another_of_the_same_owner_took_meanwhile() throws SQLException {
        leases.release(conn, "owner", List.of("a", "b"));
        List<String> others = new ArrayList<>();
        Connection interrupted = afterFirst(1, () -> {
            try (Connection other = DriverManager.getConnection(URL)) {
                others.addAll(ids(leases.claim(other, "owner", TIMEOUT, Duration.ZERO, 1)));
            }
        });

        List<String> claimed = ids(leases.claim(interrupted, "owner", TIMEOUT, Duration.ZERO, 10));

        assertThat(others).hasSize(1);
        assertThat(claimed).hasSize(1).doesNotContainAnyElementsOf(others);
    }

    @Test
    void a_claim_returns_nothing_that_its_owner_renewed_meanwhile() throws SQLException {
        leases.release(conn, "owner", List.of("a"));
        JdbcTemplate.update(
                conn, "UPDATE outbox_event SET locked_at = TIMESTAMP '2020-01-01 00:00:00' WHERE event_id = 'b'");
        Connection interrupted = afterFirst(1, () -> {
            try (Connection other = DriverManager.getConnection(URL)) {
                leases.renew(other, "owner", List.of("b"));
            }
        });

        assertThat(ids(leases.claim(interrupted, "owner", TIMEOUT, Duration.ZERO, 10)))
                .containsExactly("a");
    }
}
