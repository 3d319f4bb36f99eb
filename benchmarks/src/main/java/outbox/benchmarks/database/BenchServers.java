package outbox.benchmarks.database;

import java.sql.SQLException;

/** Starts servers. */
public final class BenchServers {

    private BenchServers() {}

    /** Starts a server of the given kind; it is ended with this process even if nobody closes it. */
    public static BenchServer start(DatabaseKind kind) throws SQLException {
        return switch (kind) {
            case POSTGRESQL -> PostgresBenchServer.start();
            case MYSQL -> MySqlFamilyBenchServer.startMySql();
            case MARIADB -> MySqlFamilyBenchServer.startMariaDb();
            case H2 -> H2BenchServer.start();
        };
    }
}
