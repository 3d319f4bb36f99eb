package outbox.benchmarks.floor;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import outbox.benchmarks.candidate.BenchEvent;
import outbox.benchmarks.candidate.Business;
import outbox.benchmarks.database.Scratch;

/** Business insert, outbox insert, commit. */
final class FloorWriter extends KeptConnections {

    private final FloorSql sql;

    FloorWriter(Scratch database, FloorSql sql) {
        super(database, sql);
        this.sql = sql;
    }

    @Override
    void work(Connection connection, List<BenchEvent> events) throws SQLException {
        Business.insert(connection, events.get(0));
        sql.insert(connection, events);
    }
}
