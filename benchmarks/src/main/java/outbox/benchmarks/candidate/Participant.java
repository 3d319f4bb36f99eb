package outbox.benchmarks.candidate;

import java.sql.SQLException;
import java.util.List;

/** A candidate at work in one database. */
public interface Participant extends AutoCloseable {

    /**
     * Writes one business row and the events in one transaction, and commits. Called by many threads. If opened to consume, handles the
     * events instead: in one transaction a business row for each of them and a record of it.
     *
     * @param events consecutive, at least one
     */
    void write(List<BenchEvent> events) throws Exception;

    /** Begins to deliver, if opened to deliver. */
    void start() throws Exception;

    /** Stops everything and gives all connections back. */
    @Override
    void close() throws SQLException;
}
