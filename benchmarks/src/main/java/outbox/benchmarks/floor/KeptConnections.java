package outbox.benchmarks.floor;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import outbox.benchmarks.candidate.BenchEvent;
import outbox.benchmarks.candidate.Participant;
import outbox.benchmarks.database.Scratch;

/** Transactions on a connection that each thread keeps. */
abstract class KeptConnections implements Participant {

    private final Scratch database;
    private final FloorSql sql;
    private final Map<Thread, Connection> connections = new ConcurrentHashMap<>();

    KeptConnections(Scratch database, FloorSql sql) {
        this.database = database;
        this.sql = sql;
    }

    /** What is done in one transaction. */
    abstract void work(Connection connection, List<BenchEvent> events) throws SQLException;

    @Override
    public final void write(List<BenchEvent> events) throws SQLException {
        Connection connection = connections.get(Thread.currentThread());
        if (connection == null) {
            connection = sql.prepare(database.connect());
            connections.put(Thread.currentThread(), connection);
        }
        work(connection, events);
        connection.commit();
    }

    @Override
    public final void start() {}

    @Override
    public final void close() throws SQLException {
        for (Connection connection : connections.values()) {
            connection.close();
        }
    }
}
