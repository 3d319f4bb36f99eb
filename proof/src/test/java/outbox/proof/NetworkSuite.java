package outbox.proof;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableName;
import outbox.proof.database.DatabaseKind;
import outbox.testservers.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** What suites with a spoilt network have in common. */
abstract class NetworkSuite {

    abstract DatabaseKind database();

    final String dialect() {
        return database().label();
    }

    final String commit() {
        return database().commit();
    }

    private TestDatabase server() {
        return SharedServer.of(database());
    }

    TestDatabase newDatabase(String... businessTables) throws SQLException {
        TestDatabase database = server().fresh("spoilt_network");
        try (Connection conn = database.connect()) {
            OutboxSchema.create(conn, dialect(), TableName.DEFAULT);
            OutboxSchema.create(conn, dialect() + "-ordered", TableName.DEFAULT);
            for (String sql : businessTables) {
                JdbcTemplate.update(conn, sql);
            }
        }
        return database;
    }

    /** The server may take a moment to end the transaction of a client that is gone; until then its rows are nobody's. */
    static void awaitNothingPending(DataSource database) throws Exception {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        int pending;
        do {
            try (Connection conn = database.getConnection()) {
                pending = JdbcTemplate.query(
                                conn, "SELECT count(*) FROM outbox_event WHERE status <> 1", row -> row.getInt(1))
                        .get(0);
            }
            Thread.sleep(20); // between two looks
        } while (pending > 0 && System.nanoTime() < deadline);
        assertThat(pending).as("pending").isZero();
    }

    HikariDataSource spoilt(TestDatabase database, int proxyPort) {
        return OutboxNode.pool(database().withPlainDriver(database).throughPort(proxyPort));
    }
}
