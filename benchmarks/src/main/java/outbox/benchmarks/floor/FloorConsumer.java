package outbox.benchmarks.floor;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import outbox.benchmarks.candidate.BenchEvent;
import outbox.benchmarks.candidate.Business;
import outbox.benchmarks.database.Scratch;

/** Insert of a row that tells that the event was handled, the handler's insert, commit. */
final class FloorConsumer extends KeptConnections {

    private final ConsumedTable consumed;
    private final boolean atOnce;

    /** @param atOnce whether the handler's inserts are one statement */
    FloorConsumer(Scratch database, FloorSql sql, boolean atOnce) throws SQLException {
        super(database, sql);
        this.atOnce = atOnce;
        this.consumed = new ConsumedTable(database.kind());
        database.execute(ConsumedTable.DDL);
    }

    @Override
    void work(Connection connection, List<BenchEvent> events) throws SQLException {
        consumed.insert(connection, events);
        if (atOnce) {
            Business.insertAll(connection, events);
            return;
        }
        for (BenchEvent event : events) {
            Business.insert(connection, event);
        }
    }
}
