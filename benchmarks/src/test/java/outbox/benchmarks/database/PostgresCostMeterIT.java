package outbox.benchmarks.database;

import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import outbox.benchmarks.candidate.BenchEvent;
import outbox.benchmarks.candidate.Business;

import static org.assertj.core.api.Assertions.assertThat;

/** What PostgreSQL tells about itself is what was done, on the server that the benchmark starts. */
class PostgresCostMeterIT {

    private static final int TRANSACTIONS = 50;

    @Test
    void the_server_counts_statements_commits_and_log() throws SQLException {
        try (PostgresBenchServer server = PostgresBenchServer.start();
                Scratch database = server.newScratch()) {
            database.execute(Business.DDL);
            database.settle();
            database.meter().begin();
            write(database);
            assertThat(database.count("SELECT count(*) FROM business_order")).isEqualTo(TRANSACTIONS);
            assertThat(database.meter().statements()).isEqualTo(TRANSACTIONS);
            database.stopProbing();
            Costs costs = database.meter().end();
            assertThat(costs.statements()).isEqualTo(TRANSACTIONS);
            // Two connections were opened, each of which is a transaction or two of its own.
            assertThat(costs.commits()).isBetween((long) TRANSACTIONS, TRANSACTIONS + 4L);
            assertThat(costs.walBytes().orElseThrow()).isBetween(50L * TRANSACTIONS, 2000L * TRANSACTIONS);
        }
    }

    private static void write(Scratch database) throws SQLException {
        try (Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            for (int number = 0; number < TRANSACTIONS; number++) {
                Business.insert(connection, new BenchEvent(number));
                connection.commit();
            }
        }
    }
}
