package outbox.inbox.it;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.inbox.jdbc.InboxSchema;
import outbox.inbox.jdbc.JdbcInbox;
import outbox.jdbc.TableName;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.testservers.PgBouncer;
import outbox.testservers.TestDatabase;
import outbox.testservers.TestServers;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A trial on a server that goes away, and on a table that knows no accents. */
@Timeout(120)
class PostgresTrialIT {

    @Test
    void a_server_that_is_away_is_passed_over_except_by_the_check_of_the_schema() {
        TestDatabase database = TestServers.postgresql();
        try (PgBouncer proxy = new PgBouncer(TestServers.newServerDirectory("inbox-trial"), database, 2)) {
            proxy.start();
            TestDatabase through = proxy.through(database).withParameter("prepareThreshold", "0");
            try (HikariDataSource pool = new TestedDatabase.Address(
                            through.jdbcUrl(), through.user(), through.password())
                    .pool(2, Duration.ofSeconds(1))) {
                JdbcInbox inbox = JdbcInbox.on(pool, new ThreadLocalTxContext());
                proxy.close();

                assertThatCode(inbox::repository).doesNotThrowAnyException();
                assertThatThrownBy(inbox::checkSchema).hasMessageContaining("event_consume_record");
            }
        }
    }

    @Test
    void a_table_that_ignores_nothing_but_accents_is_refused() throws Exception {
        TestedDatabase database = TestedDatabase.POSTGRESQL;
        TableName table = TableName.of("accentless_inbox");
        try (var conn = database.pool().getConnection()) {
            InboxSchema.create(conn, "postgresql", table);
        }
        Effects.execute(
                database.pool(),
                "CREATE COLLATION no_accents (provider = icu, locale = 'und-u-ks-level1-kc', deterministic = false)");
        Effects.execute(
                database.pool(),
                "ALTER TABLE accentless_inbox ALTER COLUMN consumer_group TYPE VARCHAR(64) COLLATE no_accents");
        try {
            assertThatThrownBy(() -> JdbcInbox.on(database.pool(), new ThreadLocalTxContext(), table)
                            .repository())
                    .hasMessageContaining(
                            "[collation] column \"consumer_group\" takes texts for the same that differ in accents, so");
        } finally {
            Effects.execute(database.pool(), "DROP TABLE accentless_inbox");
            Effects.execute(database.pool(), "DROP COLLATION no_accents");
        }
    }
}
