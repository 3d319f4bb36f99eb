package outbox.internal.transaction;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.testsupport.CapturedLog;
import outbox.testsupport.StubConnections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ShortTransactionTest {

    private final StubConnections autoCommitting = StubConnections.autoCommitting();
    private final StubConnections transactional = StubConnections.transactional();

    @Test
    void work_in_autocommit_mode_commits_itself() throws SQLException {
        assertThat(ShortTransaction.<String>run(autoCommitting, conn -> "result"))
                .isEqualTo("result");
        assertThat(autoCommitting.journal()).containsExactly("open", "close");
    }

    @Test
    void work_in_a_transaction_is_committed() throws SQLException {
        assertThat(ShortTransaction.<String>run(transactional, conn -> "result"))
                .isEqualTo("result");
        assertThat(transactional.journal()).containsExactly("open", "commit", "close");
    }

    @Test
    void work_that_fails_is_rolled_back() {
        for (Throwable failure :
                new Throwable[] {new SQLException(), new IllegalStateException(), new LinkageError()}) {
            StubConnections connections = StubConnections.transactional();

            assertThatThrownBy(() -> ShortTransaction.run(connections, conn -> fail(failure)))
                    .isSameAs(failure);
            assertThat(connections.journal()).containsExactly("open", "rollback", "close");
        }
    }

    @Test
    void work_that_fails_in_autocommit_mode_still_gives_its_connection_back() {
        assertThatThrownBy(() -> ShortTransaction.run(autoCommitting, conn -> fail(new SQLException("no"))))
                .hasMessage("no");
        assertThat(autoCommitting.leaked()).isZero();
    }

    @Test
    void a_commit_that_fails_is_a_failure() {
        SQLException refused = new SQLException("commit refused");
        transactional.failOn("commit", refused);

        assertThatThrownBy(() -> ShortTransaction.run(transactional, conn -> 1)).isSameAs(refused);
        assertThat(transactional.journal()).containsExactly("open", "commit", "rollback", "close");
    }

    @Test
    void a_rollback_that_fails_does_not_hide_the_reason() {
        SQLException reason = new SQLException("reason");
        SQLException rollback = new SQLException("rollback failed");
        transactional.failOn("rollback", rollback);

        assertThatThrownBy(() -> ShortTransaction.run(transactional, conn -> fail(reason)))
                .isSameAs(reason)
                .hasSuppressedException(rollback);
        assertThat(transactional.leaked()).isZero();
    }

    @Test
    void a_close_that_fails_does_not_undo_what_is_durable() throws SQLException {
        try (CapturedLog log = new CapturedLog()) {
            transactional.failOn("close", new SQLException("pool is gone"));

            assertThat(ShortTransaction.<String>run(transactional, conn -> "result"))
                    .isEqualTo("result");
            assertThat(log.at(Level.WARNING)).hasSize(1);
        }
    }

    @Test
    void a_close_that_fails_does_not_hide_the_reason() {
        SQLException reason = new SQLException("reason");
        SQLException close = new SQLException("close failed");
        transactional.failOn("close", close);

        assertThatThrownBy(() -> ShortTransaction.run(transactional, conn -> fail(reason)))
                .isSameAs(reason)
                .hasSuppressedException(close);
    }

    @Test
    void a_connection_that_cannot_be_opened_is_a_failure() {
        transactional.failToOpen(1);

        assertThatThrownBy(() -> ShortTransaction.run(transactional, conn -> 1))
                .isInstanceOf(SQLException.class)
                .hasMessage("database is away");
    }

    @Test
    void a_provider_must_give_a_connection() {
        assertThatThrownBy(() -> ShortTransaction.run(() -> null, conn -> 1))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("connection");
    }

    @Test
    void atomic_work_on_an_autocommitting_connection_is_a_transaction_of_its_own() throws SQLException {
        Connection conn = autoCommitting.getConnection();

        assertThat(ShortTransaction.<Boolean>atomically(conn, Connection::getAutoCommit))
                .isFalse();
        assertThat(conn.getAutoCommit()).isTrue();
        assertThat(autoCommitting.journal()).containsExactly("open", "autocommit=false", "commit", "autocommit=true");
    }

    @Test
    void atomic_work_that_fails_is_rolled_back_and_autocommit_restored() throws SQLException {
        Connection conn = autoCommitting.getConnection();

        assertThatThrownBy(() -> ShortTransaction.atomically(conn, c -> fail(new IllegalStateException("no"))))
                .hasMessage("no");
        assertThat(autoCommitting.journal()).containsExactly("open", "autocommit=false", "rollback", "autocommit=true");
    }

    @Test
    void atomic_work_in_a_callers_transaction_leaves_the_end_to_the_caller() throws SQLException {
        Connection conn = transactional.getConnection();

        assertThat(ShortTransaction.<Integer>atomically(conn, c -> 7)).isEqualTo(7);
        assertThatThrownBy(() -> ShortTransaction.atomically(conn, c -> fail(new IllegalStateException("no"))))
                .hasMessage("no");
        assertThat(transactional.journal()).containsExactly("open");
    }

    @Test
    void a_transaction_that_the_database_rolled_back_is_done_again_as_a_whole() throws SQLException {
        AtomicInteger calls = new AtomicInteger();

        assertThat(ShortTransaction.<Integer>run(transactional, conn -> failUntil(3, calls, "40P01")))
                .isEqualTo(3);
        assertThat(transactional.journal())
                .containsExactly("open", "rollback", "close", "open", "rollback", "close", "open", "commit", "close");
    }

    @Test
    void a_commit_that_fails_to_serialize_has_the_work_done_again() throws SQLException {
        transactional.failOn("commit", new SQLException("could not serialize", "40001"));
        AtomicInteger calls = new AtomicInteger();

        assertThat(ShortTransaction.<Integer>run(transactional, conn -> {
                    if (calls.incrementAndGet() == 2) {
                        transactional.succeedOn("commit");
                    }
                    return calls.get();
                }))
                .isEqualTo(2);
    }

    @Test
    void a_store_that_wraps_what_the_database_said_is_understood() throws SQLException {
        AtomicInteger calls = new AtomicInteger();

        ShortTransaction.run(transactional, conn -> {
            if (calls.incrementAndGet() < 2) {
                throw new IllegalStateException(new SQLException("deadlock", "40001", 1213));
            }
            return 0;
        });
        assertThat(calls).hasValue(2);
    }

    @Test
    void one_that_is_always_rolled_back_ends_as_a_failure() {
        AtomicInteger calls = new AtomicInteger();

        assertThatThrownBy(() -> ShortTransaction.run(transactional, conn -> failUntil(1_000, calls, "40001")))
                .isInstanceOf(SQLException.class);
        assertThat(calls).hasValueBetween(2, 20);
        assertThat(transactional.leaked()).isZero();
    }

    @Test
    void a_repeat_within_a_repeat_does_not_multiply_the_tries() {
        AtomicInteger calls = new AtomicInteger();

        assertThatThrownBy(() -> RolledBackWork.repeat(
                        () -> ShortTransaction.run(transactional, conn -> {
                            calls.incrementAndGet();
                            throw new IllegalStateException(new SQLException("deadlock", "40001"));
                        }),
                        () -> true))
                .satisfies(e -> assertThat(e.getSuppressed())
                        .extracting(Throwable::getMessage)
                        .containsExactly("The database has rolled this back 10 times in a row"));
        assertThat(calls).hasValue(RolledBackWork.TRIES);
    }

    /** The answer to a commit may be lost after the commit; lock timeouts have already waited. */
    @ParameterizedTest
    @ValueSource(strings = {"08006", "08007", "40003", "55P03", "23505", "25006"})
    void nothing_else_is_done_again(String state) {
        AtomicInteger calls = new AtomicInteger();

        assertThatThrownBy(() -> ShortTransaction.run(transactional, conn -> failUntil(2, calls, state)))
                .isInstanceOf(SQLException.class);
        assertThat(calls).hasValue(1);
    }

    /** What an earlier statement did is committed, and only its author knows whether it may be done twice. */
    @Test
    void work_that_commits_itself_is_left_to_repeat_its_statements_itself() {
        AtomicInteger calls = new AtomicInteger();

        assertThatThrownBy(() -> ShortTransaction.run(autoCommitting, conn -> failUntil(2, calls, "40001")))
                .isInstanceOf(SQLException.class);
        assertThat(calls).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_connection_that_cannot_write_is_not_handed_back(boolean autoCommit) {
        StubConnections connections = autoCommit ? autoCommitting : transactional;

        assertThatThrownBy(
                        () -> ShortTransaction.run(connections, conn -> fail(new SQLException("read-only", "25006"))))
                .hasMessage("read-only");
        assertThat(connections.journal()).contains("abort").endsWith("close");
        assertThat(connections.leaked()).isZero();
    }

    @Test
    void a_connection_that_cannot_be_discarded_does_not_hide_the_reason() {
        SQLException reason = new SQLException("read-only", "25006");
        autoCommitting.failOn("abort", new SQLException("no"));

        assertThatThrownBy(() -> ShortTransaction.run(autoCommitting, conn -> fail(reason)))
                .isSameAs(reason);
        assertThat(autoCommitting.leaked()).isZero();
    }

    /** MySQL's driver refuses by itself, with a state that means anything and a message that may quote values. */
    @ParameterizedTest
    @ValueSource(strings = {"25006", "S1009"})
    void a_connection_that_is_set_read_only_is_handed_back_and_its_failure_says_so(String state) {
        autoCommitting.setReadOnly();
        SQLException reason = new SQLException("refused", state);

        assertThatThrownBy(() -> ShortTransaction.run(autoCommitting, conn -> fail(new IllegalStateException(reason))))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("set to read-only")
                .hasRootCause(reason)
                .extracting(e -> DatabaseFailure.of(e))
                .isEqualTo(DatabaseFailure.READ_ONLY);
        assertThat(autoCommitting.journal()).containsExactly("open", "close");
    }

    @Test
    void atomic_work_that_the_database_rolled_back_is_done_again_where_it_is_a_transaction_of_its_own()
            throws SQLException {
        AtomicInteger calls = new AtomicInteger();
        Connection conn = autoCommitting.getConnection();

        ShortTransaction.atomically(conn, c -> failUntil(2, calls, "40001"));
        assertThat(autoCommitting.journal())
                .containsExactly(
                        "open",
                        "autocommit=false",
                        "rollback",
                        "autocommit=true",
                        "autocommit=false",
                        "commit",
                        "autocommit=true");
        assertThatThrownBy(() ->
                        ShortTransaction.atomically(transactional.getConnection(), c -> failUntil(4, calls, "40001")))
                .isInstanceOf(SQLException.class);
        assertThat(calls).hasValue(3);
    }

    private static int failUntil(int good, AtomicInteger calls, String state) throws SQLException {
        if (calls.incrementAndGet() < good) {
            throw new SQLException("no", state);
        }
        return calls.get();
    }

    private static Integer fail(Throwable failure) throws SQLException {
        if (failure instanceof SQLException sql) {
            throw sql;
        }
        if (failure instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) failure;
    }
}
