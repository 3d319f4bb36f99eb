package outbox.benchmarks.database;

import java.sql.SQLException;

/** A running database on which measurements take place, each in a database of its own. */
public interface BenchServer extends AutoCloseable {

    /** What it is. */
    DatabaseKind kind();

    /** A new empty database. */
    Scratch newScratch() throws SQLException;

    /** Stops the server if it was started for the benchmark. */
    @Override
    void close();
}
