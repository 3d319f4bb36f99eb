package outbox.inbox.it;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.inbox.jdbc.InboxSchema;
import outbox.inbox.jdbc.JdbcInbox;
import outbox.jdbc.TableName;
import outbox.jdbc.tx.ThreadLocalTxContext;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tables of records, and connections to them, in the character sets that MySQL had first. */
@Timeout(120)
class MySqlTrialIT {

    private static final TableName TABLE = TableName.of("latin_inbox");

    private final TestedDatabase database = TestedDatabase.MYSQL;

    @BeforeEach
    void createTable() throws SQLException {
        dropTable();
        try (Connection conn = database.pool().getConnection()) {
            InboxSchema.create(conn, "mysql", TABLE);
        }
    }

    @AfterEach
    void dropTable() {
        Effects.execute(database.pool(), "DROP TABLE IF EXISTS " + TABLE);
    }

    private static JdbcInbox inbox(HikariDataSource pool) {
        return JdbcInbox.on(pool, new ThreadLocalTxContext(), TABLE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"latin1", "utf8mb3"})
    void a_table_that_does_not_have_all_of_unicode_is_refused(String characterSet) {
        Effects.execute(
                database.pool(),
                "ALTER TABLE " + TABLE + " CONVERT TO CHARACTER SET " + characterSet + " COLLATE " + characterSet
                        + "_bin");
        JdbcInbox inbox = inbox(database.pool());

        assertThatThrownBy(inbox::repository)
                .hasMessageContaining(
                        "Table \"latin_inbox\": [text] refuses emoji, Hebrew, Arabic and Chinese (SQLState")
                .hasMessageContaining("a character set that has all of Unicode");
        assertThatThrownBy(inbox::checkSchema).hasMessageContaining("[text]");
        inbox.skipPreflight("text").checkSchema();
    }

    @Test
    void a_driver_that_speaks_an_old_character_set_is_refused() {
        String url = database.address().url();
        TestedDatabase.Address latin = new TestedDatabase.Address(
                url + (url.contains("?") ? "&" : "?") + "characterEncoding=ISO-8859-1",
                database.address().user(),
                database.address().password());
        try (HikariDataSource pool = latin.pool(2)) {
            assertThatThrownBy(() -> inbox(pool).repository())
                    .hasMessageContaining("[text] ")
                    .hasMessageContaining("leave out characterEncoding");
        }
    }

    @Test
    void a_table_that_ignores_accents_is_refused() {
        Effects.execute(
                database.pool(),
                "ALTER TABLE " + TABLE + " MODIFY event_id VARCHAR(64) CHARACTER SET utf8mb4 COLLATE"
                        + " utf8mb4_general_ci NOT NULL");
        assertThatThrownBy(() -> inbox(database.pool()).repository())
                .hasMessageContaining(
                        "[collation] column \"event_id\" takes texts for the same that differ in upper and lower case, accents,");
    }
}
