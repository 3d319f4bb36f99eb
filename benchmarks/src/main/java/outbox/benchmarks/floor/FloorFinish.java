package outbox.benchmarks.floor;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** What becomes of delivered events. */
@FunctionalInterface
interface FloorFinish {

    /** Marks or deletes; part of the connection's transaction. */
    void finish(Connection connection, List<String> ids) throws SQLException;
}
