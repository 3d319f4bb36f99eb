package outbox.benchmarks.database;

import java.sql.SQLException;
import outbox.testservers.DatabaseServer;
import outbox.testservers.MariaDbServer;
import outbox.testservers.MySqlServer;
import outbox.testservers.ServerSettings;
import outbox.testservers.TestDatabase;
import outbox.testservers.TestServers;

/** MySQL or MariaDB, with commits that reach the disk. */
public final class MySqlFamilyBenchServer implements BenchServer {

    /** Without it the driver asks the server for the autocommit mode that it knows, once or twice for each transaction. */
    private static final String OPTIONS = "useLocalSessionState=true";

    private final DatabaseKind kind;
    private final DatabaseServer server;

    private MySqlFamilyBenchServer(DatabaseKind kind, DatabaseServer server) {
        this.kind = kind;
        this.server = server;
    }

    /** Starts MySQL. */
    public static MySqlFamilyBenchServer startMySql() {
        return started(DatabaseKind.MYSQL, new MySqlServer(settings("bench-mysql")));
    }

    /** Starts MariaDB. */
    public static MySqlFamilyBenchServer startMariaDb() {
        return started(DatabaseKind.MARIADB, new MariaDbServer(settings("bench-mariadb")));
    }

    private static ServerSettings settings(String label) {
        return ServerSettings.in(TestServers.newServerDirectory(label)).withDurability();
    }

    private static MySqlFamilyBenchServer started(DatabaseKind kind, DatabaseServer server) {
        server.start();
        return new MySqlFamilyBenchServer(kind, server);
    }

    @Override
    public DatabaseKind kind() {
        return kind;
    }

    @Override
    public Scratch newScratch() throws SQLException {
        TestDatabase database = server.database().fresh("bench");
        JdbcAddress address = JdbcAddress.of(database, OPTIONS);
        Scratch scratch = new Scratch(kind, address, new Upkeep(server.database(), database.name()));
        JdbcCostMeter meter = new JdbcCostMeter();
        scratch.observe(meter);
        scratch.useMeter(meter);
        return scratch;
    }

    @Override
    public void close() {
        server.stop();
    }

    private record Upkeep(TestDatabase admin, String name) implements Scratch.Care {

        @Override
        public void settle(JdbcAddress address) {}

        @Override
        public void drop(JdbcAddress address) {
            admin.dropDatabase(name);
        }
    }
}
