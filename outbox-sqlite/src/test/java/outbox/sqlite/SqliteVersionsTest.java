package outbox.sqlite;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.SchemaVersions;
import outbox.jdbc.TableName;
import outbox.model.OutboxEvent;
import outbox.testservers.catalog.TableCatalog;

import static org.assertj.core.api.Assertions.assertThat;

/** The versions of the table, and events that somebody writes without the library. */
class SqliteVersionsTest {

    private static final TableName STEPWISE = TableName.of("stepwise_outbox");

    private final HikariDataSource pool = SqliteFixture.pool(SqliteFixture.newFile(), "");
    private final SchemaVersions versions = OutboxSchema.versions("sqlite");
    private final SchemaVersions ordered = OutboxSchema.versions("sqlite-ordered");

    @AfterEach
    void close() {
        pool.close();
    }

    private static List<String> catalog(Connection conn, TableName table) throws Exception {
        List<String> lines = new ArrayList<>(TableCatalog.of(conn, table.table()));
        lines.addAll(TableCatalog.of(conn, table.beside("_node").table()));
        lines.addAll(TableCatalog.of(conn, table.beside("_pause").table()));
        return lines;
    }

    @Test
    void versions_in_turn_make_the_table_that_the_script_makes_in_one_piece() throws Exception {
        try (Connection conn = pool.getConnection()) {
            OutboxSchema.create(conn, "sqlite", TableName.DEFAULT);
            versions.migrate(conn, STEPWISE, 0, versions.newest());
            assertThat(catalog(conn, STEPWISE))
                    .isEqualTo(catalog(conn, TableName.DEFAULT))
                    .isNotEmpty();

            OutboxSchema.create(conn, "sqlite-ordered", TableName.DEFAULT);
            assertThat(catalog(conn, STEPWISE)).isNotEqualTo(catalog(conn, TableName.DEFAULT));
            ordered.migrate(conn, STEPWISE, 0, 1);
            assertThat(catalog(conn, STEPWISE)).isEqualTo(catalog(conn, TableName.DEFAULT));
        }
    }

    @Test
    void each_version_can_be_taken_back() throws Exception {
        try (Connection conn = pool.getConnection()) {
            versions.migrate(conn, STEPWISE, 0, 1);
            List<String> first = catalog(conn, STEPWISE);
            versions.migrate(conn, STEPWISE, 1, versions.newest());
            List<String> newest = catalog(conn, STEPWISE);
            ordered.migrate(conn, STEPWISE, 0, 1);

            ordered.migrateDown(conn, STEPWISE, 1, 0);
            assertThat(catalog(conn, STEPWISE)).isEqualTo(newest).isNotEqualTo(first);
            versions.migrateDown(conn, STEPWISE, versions.newest(), 1);
            assertThat(catalog(conn, STEPWISE)).isEqualTo(first);
            versions.migrateDown(conn, STEPWISE, 1, 0);
            assertThat(catalog(conn, STEPWISE)).isEmpty();
        }
    }

    @Test
    void times_that_are_left_out_are_now_in_the_form_in_which_the_store_keeps_them() throws Exception {
        Instant before = Instant.now();
        try (Connection conn = pool.getConnection()) {
            OutboxSchema.create(conn, "sqlite", TableName.DEFAULT);
            JdbcTemplate.update(
                    conn,
                    "INSERT INTO outbox_event (event_id, event_type, payload, status) VALUES ('plain', 'Tick', '{}', 0)");

            List<OutboxEvent> pending =
                    new SqliteOutboxStore().pollPending(conn, Instant.now().plusSeconds(1), Duration.ZERO, 10);

            assertThat(pending).singleElement().satisfies(event -> {
                assertThat(event.eventId()).isEqualTo("plain");
                assertThat(event.createdAt()).isBetween(before.minusSeconds(1), before.plusSeconds(600));
            });
        }
    }
}
