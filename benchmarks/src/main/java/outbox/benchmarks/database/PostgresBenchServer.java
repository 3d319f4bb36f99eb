package outbox.benchmarks.database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import outbox.testservers.PostgresServer;
import outbox.testservers.ServerSettings;
import outbox.testservers.TestDatabase;
import outbox.testservers.TestServers;

/** PostgreSQL; counts in the server if it has pg_stat_statements. */
public final class PostgresBenchServer implements BenchServer {

    private final TestDatabase admin;
    private final Runnable stop;
    private final boolean countsStatements;

    private PostgresBenchServer(TestDatabase admin, Runnable stop) throws SQLException {
        this.admin = admin;
        this.stop = stop;
        this.countsStatements = prepareStatistics();
    }

    /**
     * Starts a server whose commits reach the disk. Vacuum and checkpoints come when the harness asks for them, not in the
     * middle of somebody's measurement.
     */
    public static PostgresBenchServer start() throws SQLException {
        PostgresServer server = new PostgresServer(ServerSettings.in(TestServers.newServerDirectory("bench-postgresql"))
                .withDurability()
                .withOption("shared_preload_libraries", "pg_stat_statements")
                .withOption("pg_stat_statements.track_utility", "off")
                .withOption("autovacuum", "off")
                .withOption("checkpoint_timeout", "30min")
                .withOption("max_wal_size", "8GB"));
        server.start();
        return new PostgresBenchServer(server.database(), server::stop);
    }

    /** Works on a server that runs already. */
    public static PostgresBenchServer on(TestDatabase server) throws SQLException {
        return new PostgresBenchServer(server, () -> {});
    }

    private boolean prepareStatistics() throws SQLException {
        try (Connection connection = admin.connect();
                Statement statement = connection.createStatement();
                ResultSet libraries = statement.executeQuery("SHOW shared_preload_libraries")) {
            libraries.next();
            if (!libraries.getString(1).contains("pg_stat_statements")) {
                return false;
            }
            statement.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
            return true;
        }
    }

    @Override
    public DatabaseKind kind() {
        return DatabaseKind.POSTGRESQL;
    }

    @Override
    public Scratch newScratch() throws SQLException {
        TestDatabase database = admin.fresh("bench");
        JdbcAddress address = JdbcAddress.of(database, "");
        Scratch scratch = new Scratch(kind(), address, new Upkeep(admin, database.name()));
        if (countsStatements) {
            scratch.useMeter(new PostgresCostMeter(admin.connect(), database.name(), scratch::probes));
        } else {
            JdbcCostMeter counts = new JdbcCostMeter();
            scratch.observe(counts);
            scratch.useMeter(new WalMeter(counts, admin.connect()));
        }
        return scratch;
    }

    @Override
    public void close() {
        stop.run();
    }

    private record Upkeep(TestDatabase admin, String name) implements Scratch.Care {

        @Override
        public void settle(JdbcAddress address) throws SQLException {
            address.execute("VACUUM (ANALYZE) " + userTables(address), "CHECKPOINT");
        }

        /** Only these: the system's own are as new as the database, and take longer. */
        private static String userTables(JdbcAddress address) throws SQLException {
            try (Connection connection = address.connect();
                    Statement statement = connection.createStatement();
                    ResultSet names = statement.executeQuery(
                            "SELECT string_agg(tablename, ', ') FROM pg_tables WHERE schemaname = 'public'")) {
                names.next();
                return names.getString(1);
            }
        }

        @Override
        public void drop(JdbcAddress address) {
            admin.dropDatabase(name);
        }
    }
}
