package outbox.internal.transaction;

import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import outbox.OutboxException;

import static org.assertj.core.api.Assertions.assertThat;

class DatabaseFailureTest {

    @ParameterizedTest(name = "{3}: {0} {1} means {2}")
    @CsvSource({
        "25006, 0, READ_ONLY, PostgreSQL: a transaction that must not write",
        "HY000, 1290, READ_ONLY, MySQL and MariaDB: --read-only",
        "HY000, 1836, READ_ONLY, MySQL: read-only mode",
        "25006, 1792, READ_ONLY, MySQL: a read-only transaction",
        "90097, 90097, READ_ONLY, H2: the database is read-only",
        "08006, 0, AWAY, connection failure",
        "08S01, 1053, AWAY, MySQL: server shutdown",
        "08004, 1040, AWAY, MySQL: too many connections",
        "53300, 0, AWAY, PostgreSQL: too many connections",
        "53100, 0, AWAY, PostgreSQL: disk full",
        "HY000, 1021, AWAY, MySQL: disk full",
        "57P01, 0, AWAY, PostgreSQL: terminated by an administrator",
        "57P02, 0, AWAY, PostgreSQL: crash of another session",
        "57P03, 0, AWAY, PostgreSQL: starting up",
        "25P03, 0, AWAY, PostgreSQL: idle in transaction for too long",
        "25P04, 0, AWAY, PostgreSQL: a transaction that lasted for too long",
        "40003, 0, AWAY, whether it was done is unknown",
        "90098, 90098, AWAY, H2: closed",
        "40P01, 0, ROLLED_BACK, PostgreSQL: deadlock",
        "40001, 0, ROLLED_BACK, PostgreSQL: serialization failure",
        "40001, 1213, ROLLED_BACK, MySQL and MariaDB: deadlock",
        "40001, 40001, ROLLED_BACK, H2: deadlock",
        "90131, 90131, ROLLED_BACK, H2: concurrent update",
        "55P03, 0, LOCKED, PostgreSQL: lock not available",
        "57014, 0, LOCKED, PostgreSQL: cancelled by a timeout",
        "40001, 1205, LOCKED, MySQL: lock wait timeout as its driver reports it",
        "HY000, 1205, LOCKED, MariaDB: lock wait timeout",
        "HY000, 3572, LOCKED, MySQL: NOWAIT",
        "70100, 1969, LOCKED, MariaDB: max_statement_time",
        "HYT00, 50200, LOCKED, H2: lock timeout",
        "22021, 0, REFUSED, PostgreSQL: a NUL in a text",
        "23505, 0, REFUSED, a duplicate",
        "42P01, 0, REFUSED, no such table",
        "28000, 0, REFUSED, no right to log in",
        ", 0, REFUSED, a driver that says nothing"
    })
    void is_recognised_by_state_and_code(String state, int code, DatabaseFailure expected, String unusedWords) {
        assertThat(DatabaseFailure.of(new SQLException("text", state, code))).isEqualTo(expected);
    }

    @Test
    void is_recognised_by_class_where_a_driver_or_pool_gives_no_state() {
        assertThat(DatabaseFailure.of(new SQLTransientConnectionException("no connection in 30 s")))
                .isEqualTo(DatabaseFailure.AWAY);
        assertThat(DatabaseFailure.of(new SQLNonTransientConnectionException("gone")))
                .isEqualTo(DatabaseFailure.AWAY);
        assertThat(DatabaseFailure.of(new SQLRecoverableException("gone"))).isEqualTo(DatabaseFailure.AWAY);
        assertThat(DatabaseFailure.of(new SQLTimeoutException("too long"))).isEqualTo(DatabaseFailure.LOCKED);
    }

    @Test
    void is_found_behind_the_exceptions_of_stores_and_batches() {
        SQLException readOnly = new SQLException("text", "25006");
        BatchUpdateException batch = new BatchUpdateException("text", "25006", 0, new int[0], readOnly);

        assertThat(DatabaseFailure.of(new OutboxException("store", readOnly))).isEqualTo(DatabaseFailure.READ_ONLY);
        assertThat(DatabaseFailure.of(new OutboxException("store", batch))).isEqualTo(DatabaseFailure.READ_ONLY);
    }

    /** As MySQL's driver reports a batch that ran into its time limit. */
    @Test
    void an_exception_that_says_nothing_is_passed_over_for_its_cause() {
        BatchUpdateException batch =
                new BatchUpdateException("text", null, 0, new int[0], new SQLTimeoutException("cancelled"));

        assertThat(DatabaseFailure.of(new OutboxException("store", batch))).isEqualTo(DatabaseFailure.LOCKED);
        assertThat(DatabaseFailure.of(new SQLException("text", new SQLException("text", "25006"))))
                .isEqualTo(DatabaseFailure.READ_ONLY);
    }

    @Test
    void what_no_database_said_is_a_refusal_and_a_chain_without_end_ends() {
        RuntimeException one = new RuntimeException("one");
        RuntimeException other = new RuntimeException("other", one);
        one.initCause(other);

        assertThat(DatabaseFailure.of(one)).isEqualTo(DatabaseFailure.REFUSED);
        assertThat(DatabaseFailure.of(null)).isEqualTo(DatabaseFailure.REFUSED);
    }

    @Test
    void memory_that_ran_out_is_recognised_however_a_driver_says_it() {
        OutOfMemoryError heap = new OutOfMemoryError("heap");

        assertThat(DatabaseFailure.isOutOfMemory(heap)).isTrue();
        assertThat(DatabaseFailure.isOutOfMemory(new OutboxException("claim", new SQLException("text", "HY001"))))
                .isTrue();
        assertThat(DatabaseFailure.isOutOfMemory(new SQLException("text", "53200")))
                .isTrue();
        assertThat(DatabaseFailure.isOutOfMemory(new SQLException("text", "08006", heap)))
                .isTrue();
        assertThat(DatabaseFailure.isOutOfMemory(new SQLException("text", "53100")))
                .isFalse();
        assertThat(DatabaseFailure.isOutOfMemory(new SQLException("text"))).isFalse();
        assertThat(DatabaseFailure.isOutOfMemory(null)).isFalse();
    }

    @Test
    void waiting_helps_against_an_outage_and_not_against_a_refusal() {
        assertThat(DatabaseFailure.values())
                .filteredOn(DatabaseFailure::isOutage)
                .containsExactly(DatabaseFailure.AWAY, DatabaseFailure.READ_ONLY, DatabaseFailure.ROLLED_BACK);
    }
}
