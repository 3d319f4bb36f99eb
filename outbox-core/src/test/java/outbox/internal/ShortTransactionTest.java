package outbox.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
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
    void a_provider_without_connections_serves_a_store_in_memory() throws SQLException {
        assertThat(ShortTransaction.<String>run(() -> null, conn -> "without " + conn))
                .isEqualTo("without null");
        assertThat(ShortTransaction.<String>atomically(null, conn -> "without " + conn))
                .isEqualTo("without null");
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
