package outbox.inbox.it;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.inbox.jdbc.InboxSchema;
import outbox.inbox.jdbc.JdbcInbox;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.TableName;
import outbox.jdbc.tx.ThreadLocalTxContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What is tried before records are written: whatever would fail with the first event is told at once. */
@Timeout(120)
abstract class TrialSuite {

    private static final TableName TABLE = TableName.of("tried_inbox");
    private static final String USER = "inbox_trial_user";
    private static final String PASSWORD = "Trial-1-Password";

    abstract TestedDatabase database();

    @BeforeEach
    void createTable() throws SQLException {
        dropTable();
        try (Connection conn = database().pool().getConnection()) {
            InboxSchema.create(conn, database().dialect(), TABLE);
        }
    }

    @AfterEach
    void dropTable() {
        Effects.execute(database().pool(), "DROP TABLE IF EXISTS " + TABLE);
    }

    private static JdbcInbox inbox(HikariDataSource pool) {
        return JdbcInbox.on(pool, new ThreadLocalTxContext(), TABLE);
    }

    private static void assertTold(JdbcInbox inbox, String... words) {
        for (Runnable use : List.<Runnable>of(inbox::repository, inbox::checkSchema)) {
            var told = assertThatThrownBy(use::run).isInstanceOf(OutboxStoreException.class);
            for (String each : words) {
                told.hasMessageContaining(each);
            }
        }
    }

    private void withUser(String rights, Consumer<JdbcInbox> work) {
        database()
                .createUser(USER, PASSWORD)
                .forEach(sql -> Effects.execute(database().pool(), sql));
        try {
            Effects.execute(
                    database().pool(),
                    "GRANT " + rights + " ON " + TABLE + " TO " + database().grantee(USER));
            TestedDatabase.Address address =
                    new TestedDatabase.Address(database().address().url(), USER, PASSWORD);
            try (HikariDataSource pool = address.pool(2)) {
                work.accept(inbox(pool));
            }
        } finally {
            dropTable();
            Effects.execute(database().pool(), database().dropUser(USER));
        }
    }

    @Test
    void a_user_who_may_not_insert_is_told_so_unless_that_is_not_to_be_looked_at() {
        withUser("SELECT, UPDATE", inbox -> {
            assertTold(
                    inbox,
                    "Table \"tried_inbox\": [rights] this user of the database lacks INSERT, without which",
                    "GRANT INSERT ON tried_inbox");
            inbox.skipPreflight("rights").checkSchema();
            inbox.skipPreflight("rights").repository();
        });
    }

    @Test
    void all_rights_that_are_missing_are_named_at_once() {
        withUser("SELECT", inbox -> assertTold(inbox, "lacks INSERT, UPDATE, without which"));
    }

    @Test
    void nothing_else_than_the_rights_to_read_and_write_is_needed() {
        withUser("SELECT, INSERT, UPDATE", inbox -> {
            inbox.checkSchema();
            inbox.repository();
        });
    }

    @Test
    void a_table_that_refuses_every_record_is_told() {
        Effects.execute(database().pool(), "ALTER TABLE " + TABLE + " ADD COLUMN somebody_elses INT NOT NULL");
        assertTold(inbox(database().pool()), "[rights] refuses INSERT of a record as the inbox does it (SQLState ");
    }

    @Test
    void a_database_that_gives_no_connection_is_passed_over_except_by_the_check_of_the_schema() throws SQLException {
        try (HikariDataSource pool = database().address().pool(1, Duration.ofMillis(250))) {
            JdbcInbox inbox = inbox(pool);
            try (Connection last = pool.getConnection()) {
                assertThatCode(inbox::repository).doesNotThrowAnyException();
                assertThatThrownBy(inbox::checkSchema).isInstanceOf(OutboxStoreException.class);
                assertThat(last.isValid(5)).isTrue();
            }
        }
    }

    @Test
    void a_table_that_is_not_there_yet_is_passed_over_except_by_the_check_of_the_schema() {
        dropTable();
        JdbcInbox inbox = inbox(database().pool());
        assertThatCode(inbox::repository).doesNotThrowAnyException();
        assertThatThrownBy(inbox::checkSchema).hasMessageContaining("Table \"tried_inbox\" is missing");
    }

    @Test
    void a_check_of_an_unknown_name_is_refused_with_those_that_there_are() {
        assertThatThrownBy(() -> inbox(database().pool()).skipPreflight("rites", "text"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "skipPreflight names [rites], but the checks of inbox tried_inbox are [rights, text, collation]");
    }
}
