package outbox.jdbc.tx;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.jdbc.tx.JdbcTransactionManager.Transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class JdbcTransactionManagerTest {

    private final List<String> calls = new ArrayList<>();
    private final AtomicInteger open = new AtomicInteger();
    private final ThreadLocalTxContext context = new ThreadLocalTxContext();
    private Connection keepAlive;
    private Set<String> failing = Set.of();
    private boolean autoCommit = true;
    private SQLException failure;
    private JdbcTransactionManager transactions;

    @BeforeEach
    void setUp() throws SQLException {
        keepAlive = DriverManager.getConnection("jdbc:h2:mem:tx");
        keepAlive.createStatement().execute("CREATE TABLE IF NOT EXISTS t (id INT)");
        transactions = new JdbcTransactionManager(this::connection, context);
    }

    @AfterEach
    void tearDown() throws SQLException {
        keepAlive.close();
        assertThat(open).as("connections left open").hasValue(0);
        assertThat(context.isTransactionActive()).isFalse();
    }

    /** A real connection whose failures can be ordered. */
    private Connection connection() throws SQLException {
        Connection real = DriverManager.getConnection("jdbc:h2:mem:tx");
        real.setAutoCommit(autoCommit);
        open.incrementAndGet();
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                    String call = method.getName() + (method.getName().equals("setAutoCommit") ? args[0] : "");
                    calls.add(call);
                    if (method.getName().equals("close")) {
                        open.decrementAndGet();
                    }
                    if (failing.contains(call)) {
                        throw failure == null ? new SQLException("no " + call) : failure;
                    }
                    try {
                        return method.invoke(real, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private void register(List<String> log) {
        context.afterCommit(() -> log.add("committed"));
        context.afterRollback(() -> log.add("rolled back"));
    }

    private int rows() throws SQLException {
        try (var result = keepAlive.createStatement().executeQuery("SELECT COUNT(*) FROM t")) {
            result.next();
            return result.getInt(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_commit_is_durable_runs_its_callbacks_and_restores_the_connection(boolean autoCommitBefore) throws Exception {
        autoCommit = autoCommitBefore;
        int before = rows();
        List<String> log = new ArrayList<>();

        try (Transaction tx = transactions.begin()) {
            assertThat(context.currentConnection()).isSameAs(tx.connection());
            assertThat(tx.connection().getAutoCommit()).isFalse();
            tx.connection().createStatement().execute("INSERT INTO t VALUES (1)");
            register(log);
            tx.commit();
        }

        assertThat(log).containsExactly("committed");
        assertThat(rows()).isEqualTo(before + 1);
        assertThat(calls).endsWith("setAutoCommit" + autoCommitBefore, "close");
    }

    @Test
    void closing_without_commit_rolls_back() throws Exception {
        List<String> log = new ArrayList<>();
        int before = rows();

        try (Transaction tx = transactions.begin()) {
            tx.connection().createStatement().execute("INSERT INTO t VALUES (2)");
            register(log);
        }

        assertThat(log).containsExactly("rolled back");
        assertThat(rows()).isEqualTo(before);
    }

    @Test
    void callbacks_run_outside_the_transaction_and_may_begin_another() throws Exception {
        List<Boolean> active = new ArrayList<>();
        try (Transaction tx = transactions.begin()) {
            context.afterCommit(() -> {
                active.add(context.isTransactionActive());
                try (Transaction second = transactions.begin()) {
                    second.commit();
                } catch (SQLException e) {
                    throw new AssertionError(e);
                }
            });
            tx.commit();
        }
        assertThat(active).containsExactly(false);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void callbacks_run_when_the_connection_is_back_in_its_pool(boolean commits) throws Exception {
        List<Integer> openInCallback = new ArrayList<>();
        List<String> lastCall = new ArrayList<>();
        Runnable callback = () -> {
            openInCallback.add(open.get());
            lastCall.add(calls.get(calls.size() - 1));
        };
        try (Transaction tx = transactions.begin()) {
            context.afterCommit(callback);
            context.afterRollback(callback);
            if (commits) {
                tx.commit();
            }
        }

        assertThat(openInCallback).containsExactly(0);
        assertThat(lastCall).containsExactly("close");
    }

    @Test
    void a_callback_may_use_the_only_connection_of_the_pool() throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:tx");
        config.setMaximumPoolSize(1);
        config.setConnectionTimeout(250);
        int before = rows();
        try (HikariDataSource pool = new HikariDataSource(config)) {
            JdbcTransactionManager pooled = new JdbcTransactionManager(pool::getConnection, context);
            try (Transaction tx = pooled.begin()) {
                context.afterCommit(() -> {
                    try (Transaction second = pooled.begin()) {
                        second.connection().createStatement().execute("INSERT INTO t VALUES (3)");
                        second.commit();
                    } catch (SQLException e) {
                        throw new AssertionError(e);
                    }
                });
                tx.commit();
            }
        }

        assertThat(rows()).isEqualTo(before + 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"setAutoCommittrue", "close"})
    void callbacks_run_even_if_the_connection_cannot_be_given_back(String broken) throws Exception {
        failing = Set.of(broken);
        List<String> log = new ArrayList<>();
        Transaction tx = transactions.begin();
        register(log);
        context.afterCommit(() -> {
            throw new IllegalStateException("callback");
        });

        assertThatThrownBy(tx::commit)
                .isInstanceOf(SQLException.class)
                .hasMessage("no " + broken)
                .satisfies(e -> assertThat(e.getSuppressed()).hasOnlyElementsOfType(IllegalStateException.class));
        assertThat(log).containsExactly("committed");
        assertThat(calls).contains("close");
        assertThat(context.isTransactionActive()).isFalse();
    }

    @Test
    void all_callbacks_run_and_the_first_problem_carries_the_others() throws Exception {
        List<String> log = new ArrayList<>();
        Transaction tx = transactions.begin();
        context.afterCommit(() -> {
            throw new IllegalStateException("first");
        });
        context.afterCommit(() -> log.add("second ran"));
        context.afterCommit(() -> {
            throw new AssertionError("third");
        });

        assertThatThrownBy(tx::commit)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("first")
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1).hasOnlyElementsOfType(AssertionError.class));
        assertThat(log).containsExactly("second ran");
    }

    @Test
    void an_error_of_a_callback_is_thrown_as_it_is() throws Exception {
        Transaction tx = transactions.begin();
        context.afterRollback(() -> {
            throw new AssertionError("boom");
        });
        assertThatThrownBy(tx::rollback).isInstanceOf(AssertionError.class).hasMessage("boom");
    }

    @Test
    void a_commit_that_fails_is_unknown_and_counts_as_rolled_back() throws Exception {
        failing = Set.of("commit", "rollback");
        List<String> log = new ArrayList<>();
        Transaction tx = transactions.begin();
        register(log);
        context.afterUnknown(() -> log.add("unknown"));

        assertThatThrownBy(tx::commit)
                .isInstanceOf(SQLException.class)
                .hasMessage("no commit")
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));

        assertThat(log).containsExactly("unknown", "rolled back");
        tx.close();
    }

    @ParameterizedTest
    @CsvSource({"40001, false", "40P01, false", "40003, true", "08006, true", "23505, true"})
    void a_commit_that_the_database_has_rolled_back_is_not_unknown(String state, boolean unknown) throws Exception {
        failing = Set.of("commit");
        failure = new SQLException("no commit", state);
        List<String> log = new ArrayList<>();
        Transaction tx = transactions.begin();
        register(log);
        context.afterUnknown(() -> log.add("unknown"));

        assertThatThrownBy(tx::commit).isSameAs(failure);

        assertThat(log).isEqualTo(unknown ? List.of("unknown", "rolled back") : List.of("rolled back"));
    }

    @Test
    void ending_an_ended_transaction_changes_nothing_and_throws_nothing() throws Exception {
        List<String> log = new ArrayList<>();
        Transaction committed = transactions.begin();
        context.afterCommit(() -> log.add("committed"));
        committed.commit();
        Transaction rolledBack = transactions.begin();
        context.afterRollback(() -> log.add("rolled back"));
        rolledBack.rollback();
        try (Transaction open = transactions.begin()) {
            committed.commit();
            committed.rollback();
            rolledBack.commit();
            rolledBack.rollback();

            assertThat(context.currentConnection()).isSameAs(open.connection());
        }

        assertThat(log).containsExactly("committed", "rolled back");
    }

    @Test
    void a_second_transaction_on_the_same_thread_is_refused_before_a_connection_is_taken() throws Exception {
        try (Transaction tx = transactions.begin()) {
            assertThatThrownBy(transactions::begin)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("already active");
            assertThat(open).hasValue(1);
            tx.rollback();
        }
    }

    @Test
    void a_begin_that_fails_leaves_nothing_behind() {
        failing = Set.of("setAutoCommitfalse", "close");
        assertThatThrownBy(transactions::begin)
                .isInstanceOf(SQLException.class)
                .hasMessage("no setAutoCommitfalse")
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
    }

    @Test
    void without_a_transaction_the_context_says_so() {
        assertThat(context.isTransactionActive()).isFalse();
        assertThatThrownBy(context::currentConnection)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("No active transaction");
        assertThatThrownBy(() -> context.afterCommit(() -> {})).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> context.afterRollback(() -> {})).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(context::clearAfterCommit).isInstanceOf(IllegalStateException.class);
    }
}
