package outbox.inbox.it;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.util.Map;
import liquibase.Liquibase;
import liquibase.database.jvm.JdbcConnection;
import liquibase.resource.ClassLoaderResourceAccessor;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.inbox.jdbc.InboxSchema;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;
import outbox.testservers.catalog.TableCatalog;

import static org.assertj.core.api.Assertions.assertThat;

/** The inbox's versions, run by the tools that they are made for. */
class MigrationToolsIT {

    private final HikariDataSource pool = new TestedDatabase.Address(
                    "jdbc:h2:mem:inbox" + System.nanoTime() + ";DB_CLOSE_DELAY=-1", "sa", "")
            .pool(2);

    @AfterEach
    void close() {
        pool.close();
    }

    private void assertComplete() throws Exception {
        try (Connection conn = pool.getConnection()) {
            InboxSchema.create(conn, "h2", TableName.of("whole"));
            assertThat(TableCatalog.of(conn, "event_consume_record"))
                    .isEqualTo(TableCatalog.of(conn, "whole"))
                    .isNotEmpty();
        }
    }

    @Test
    void one_history_of_flyway_holds_outbox_and_inbox() throws Exception {
        Flyway flyway = Flyway.configure()
                .dataSource(pool)
                .locations(
                        "classpath:outbox-schema/h2", "classpath:outbox-schema/h2-ordered", "classpath:inbox-schema/h2")
                .placeholders(Map.of(
                        "outbox_schema", "",
                        "outbox_table", "outbox_event",
                        "inbox_schema", "",
                        "inbox_table", "event_consume_record"))
                .load();

        assertThat(flyway.migrate().migrationsExecuted)
                .as("the versions of the outbox, its index for order and the inbox")
                .isEqualTo(OutboxSchema.versions("h2").newest() + 2);
        assertThat(flyway.migrate().migrationsExecuted).isZero();
        assertComplete();
    }

    @Test
    void liquibase_creates_the_table_and_takes_it_back() throws Exception {
        try (Liquibase liquibase = liquibase()) {
            liquibase.update("");
        }
        assertComplete();

        try (Liquibase liquibase = liquibase()) {
            liquibase.rollback(1, "");
        }

        try (Connection conn = pool.getConnection()) {
            assertThat(TableCatalog.of(conn, "event_consume_record")).isEmpty();
        }
    }

    /** Closes its connection when it is closed. */
    private Liquibase liquibase() throws Exception {
        Liquibase liquibase = new Liquibase(
                "inbox-schema/h2/V688269.3.01__inbox_table.sql",
                new ClassLoaderResourceAccessor(),
                new JdbcConnection(pool.getConnection()));
        liquibase.setChangeLogParameter("inbox_schema", "");
        liquibase.setChangeLogParameter("inbox_table", "event_consume_record");
        return liquibase;
    }
}
