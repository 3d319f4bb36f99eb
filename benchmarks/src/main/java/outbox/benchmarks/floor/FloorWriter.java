package outbox.benchmarks.floor;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import outbox.benchmarks.candidate.BenchEvent;
import outbox.benchmarks.candidate.Business;
import outbox.benchmarks.candidate.Participant;
import outbox.benchmarks.database.Scratch;

/** Business insert, outbox insert, commit, on a connection that each thread keeps. */
final class FloorWriter implements Participant {

    private final Scratch database;
    private final FloorSql sql;
    private final Map<Thread, Connection> connections = new ConcurrentHashMap<>();

    FloorWriter(Scratch database, FloorSql sql) {
        this.database = database;
        this.sql = sql;
    }

    @Override
    public void write(List<BenchEvent> events) throws SQLException {
        Connection connection = connections.get(Thread.currentThread());
        if (connection == null) {
            connection = sql.prepare(database.connect());
            connections.put(Thread.currentThread(), connection);
        }
        Business.insert(connection, events.get(0));
        sql.insert(connection, events);
        connection.commit();
    }

    @Override
    public void start() {}

    @Override
    public void close() throws SQLException {
        for (Connection connection : connections.values()) {
            connection.close();
        }
    }
}
